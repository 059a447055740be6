"""Prints one core: groups, data, state, buffers, source map, `init` and `main`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from emu.asm.fields import print_number
from emu.asm.form_text import box_words, form_text
from emu.asm.program_set import Weights
from emu.asm.section_printer import INDENT, quote, section_lines, source_text
from emu.image.groups import place_groups
from emu.program.program import BufferSpec, Data, Program, Source
from emu.wording import address_text

_LINE = 32  # bytes of data per line


def weight_file(core: int, group: int) -> str:
    """The file that a disassembly writes the weights of a group to."""
    return f"core_{core:04d}_g{group}.npy"


def core_lines(program: Program, weights: Sequence[Weights] | None = None) -> Iterator[str]:
    """The lines of a `core` block; without `weights`, groups name the files of `weight_file`."""
    names = [weight_file(program.core, index) for index, group in enumerate(program.groups) if not group.shares]
    yield f"core {program.core} {{"
    yield from (f"{INDENT}{line}" for line in _group_lines(program, weights or names))
    for data in program.data:
        yield from _data_lines(data)
    yield from (f"{INDENT}state {address_text(address)} size {size}" for address, size in program.state)
    named = _named_in_order(program)
    yield from () if named else (f"{INDENT}source {source_text(source)}" for source in program.sources)
    yield from (f"{INDENT}{_buffer_text(buffer)}" for buffer in program.buffers)
    source = _source_namer(program.sources, named)
    for name, section in (("init", program.init), ("main", program.main)):
        if len(section) or name == "main":
            yield f"{INDENT}{name} {{"
            yield from section_lines(name, section, INDENT * 2, source)
            yield f"{INDENT}}}"
    yield "}"


def _group_lines(program: Program, weights: Sequence[Weights]) -> Iterator[str]:
    placed, given = place_groups(program.groups), iter(weights)
    for index, (group, usual) in enumerate(zip(program.groups, placed, strict=True)):
        types = ".".join(dtype.name for dtype in (group.input, group.weight, group.output))
        rows, cols = (" ".join(map(str, tiles)) for tiles in (group.row_tiles, group.col_tiles))
        place = "" if group.offset == usual.offset else f" at {address_text(group.offset)}"
        begin = f"group {index} {types} rows {rows} cols {cols}{place}"
        if group.shares:
            yield f"{begin} bank {group.bank}"
            continue
        values = next(given)
        yield f"{begin} weights {quote(values) if isinstance(values, str) else matrix_text(values)}"


def matrix_text(values: np.ndarray) -> str:
    """A matrix that reads back as exactly `values`."""
    rows = [f"[{', '.join(map(_element_text, row))}]" for row in values]
    return f"[{', '.join(rows)}]"


def _element_text(value: np.generic) -> str:
    """The shortest text of the value that survives being read as a double first."""
    short = str(value)
    if not isinstance(value, np.floating) or value.dtype.type(float(short)) == value:
        return short
    return print_number(float(value))


def _data_lines(data: Data) -> Iterator[str]:
    chunks = [data.content[at : at + _LINE].hex() for at in range(0, len(data.content), _LINE)] or [""]
    if len(chunks) == 1:
        yield f'{INDENT}data {address_text(data.address)} hex "{chunks[0]}"'
        return
    yield f"{INDENT}data {address_text(data.address)} hex {{"
    yield from (f'{INDENT * 2}"{chunk}"' for chunk in chunks)
    yield f"{INDENT}}}"


def _buffer_text(buffer: BufferSpec) -> str:
    place = f"at {address_text(buffer.address)} complete {buffer.complete}"
    form = form_text(buffer.form, buffer.dtype)
    return f"buffer {quote(buffer.tensor)} {form} {box_words(buffer.form, buffer.box)} {place}"


def _named_in_order(program: Program) -> bool:
    """Whether naming sources where they are used gives the same table: each entry once, in order of first use."""
    used = np.concatenate([section.columns["source"] for section in (program.init, program.main)])
    used = used[used >= 0]
    values, first = np.unique(used, return_index=True)
    in_order = bool((np.diff(first) > 0).all()) and len(values) == len(program.sources)
    return in_order and len(set(program.sources)) == len(program.sources)


def _source_namer(sources: Sequence[Source], named: bool) -> Callable[[int], str]:
    def name(index: int) -> str:
        if index < 0:
            return "none"
        return source_text(sources[index]) if named else str(index)

    return name

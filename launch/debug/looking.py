"""Commands that show programs, memories, crossbars and who waits for whom."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.asm.core_printer import core_lines
from emu.asm.section_printer import print_instruction, section_lines, source_text
from emu.debug.accesses import GLOBAL
from emu.errors import InputError
from emu.isa.dtypes import DType
from emu.isa.table import LOOP
from emu.program.nesting import loops_around
from emu.program.section import Section
from emu.wording import counted
from launch.debug.debugger import Debugger
from launch.debug.places import where_lines
from launch.debug.values import array_lines
from launch.debug.words import Words, core_of, space_of

AROUND = 5  # instructions shown before and behind the present one
MOST = 1 << 14  # elements of `mem`
PER_LINE = 8
SECTIONS = ("init", "main")
TYPES = {dtype.name: dtype.numpy for dtype in DType}


def where(debugger: Debugger, words: Words) -> Iterator[str]:
    """`where [CORE]`."""
    core = core_of(words, debugger.chip, debugger.session.focus)
    words.end()
    return where_lines(debugger, core)


def list_(debugger: Debugger, words: Words) -> Iterator[str]:
    """`list [N]`."""
    around = words.whole("the number of instructions", AROUND)
    words.end()
    name, index, _, _ = debugger.chip.cores[debugger.session.focus].position()
    section = debugger.chip.section(debugger.session.focus)
    for at in range(max(0, index - around), min(len(section), index + around + 1)):
        yield f"{'->' if at == index else '  '} {name}[{at}] {_instruction(section, at)}"


def _instruction(section: Section, index: int) -> str:
    depth, instr = len(loops_around(section, index)), section.instr(index)
    head = f"loop i{depth} {instr.n} {{ ; to {instr.end - 1}"
    return "  " * depth + (head if section.columns["op"][index] == LOOP else print_instruction(instr))


def disasm(debugger: Debugger, words: Words) -> Iterator[str]:
    """`disasm [CORE] [init|main]`."""
    core = core_of(words, debugger.chip, debugger.session.focus) if words.is_whole() else debugger.session.focus
    chosen = words.accept(*SECTIONS)
    words.end()
    program = debugger.chip.programs[core]
    if not chosen:
        return core_lines(program)
    section = program.main if chosen == "main" else program.init
    return section_lines(chosen, section, "", lambda at: source_text(program.sources[at]) if at >= 0 else "none")


def memory_of(debugger: Debugger, space: int, address: int, count: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """`count` elements at `address`, and which of them are defined (global memory: written); raises InputError."""
    if kind not in TYPES:
        raise InputError(f"type {kind!r} is unknown: use one of {', '.join(TYPES)}")
    dtype = TYPES[kind]
    size = count * dtype.itemsize
    limit = debugger.chip.subject.global_size if space == GLOBAL else debugger.image.arch.core.local_memory
    if count > MOST or address + size > limit:
        raise InputError(f"{count} x {kind} at {address:#x} are too many, or outside of a memory of {limit} bytes")
    if space == GLOBAL:
        content, known = _global(debugger, address, size)
    else:
        memory = debugger.chip.cores[space].memory
        content, known = bytes(memory.window(address, address + size)), memory.defined[address : address + size]
    return np.frombuffer(content, dtype), known.reshape(count, dtype.itemsize).all(axis=1)


def _global(debugger: Debugger, address: int, size: int) -> tuple[bytes, np.ndarray]:
    memory = debugger.chip.memory
    if memory is None:
        raise InputError("no sample is under way, and global memory belongs to a sample: `run 0` begins one")
    content, known = bytearray(size), np.ones(size, np.bool_)
    shared = debugger.chip.subject.read_only
    for low, missing in memory.unwritten([(address, size)]):
        for begin, end in shared.outside(low, low + missing):
            known[begin - address : end - address] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8))).tolist()
    for low, high in zip(edges[::2], edges[1::2], strict=True):
        content[low:high] = memory.view(address + low, high - low)
    return bytes(content), known


def mem(debugger: Debugger, words: Words) -> Iterator[str]:
    """`mem CORE|global ADDRESS COUNT [TYPE]`."""
    space = space_of(words, debugger.chip)
    address, count = words.whole("the address"), words.whole("the number of elements", least=1)
    kind = words.take("the type") if words.left else "u8"
    words.end()
    values, known = memory_of(debugger, space, address, count, kind)
    texts = [str(value) if defined else "--" for value, defined in zip(values, known, strict=True)]
    width = max(map(len, texts))
    for at in range(0, count, PER_LINE):
        cells = " ".join(text.rjust(width) for text in texts[at : at + PER_LINE])
        yield f"{address + at * values.itemsize:#08x}: {cells}"


def crossbar(debugger: Debugger, words: Words) -> Iterator[str]:
    """`crossbar CORE GROUP`."""
    core = core_of(words, debugger.chip)
    group = words.whole("the group")
    words.end()
    spec = debugger.chip.programs[core].groups[_group(debugger, core, group)]
    types = f"{spec.input.name} x {spec.weight.name} -> {spec.output.name}"
    yield f"core {core}, group {group}: {types}, row tiles {list(spec.row_tiles)}, column tiles {list(spec.col_tiles)}"
    yield from array_lines(crossbar_of(debugger, core, group))


def crossbar_of(debugger: Debugger, core: int, group: int) -> np.ndarray:
    """What an array group holds now [rows, columns]; raises InputError if there is none."""
    if core not in debugger.chip.cores:
        raise InputError(f"core {core} has no program")
    return np.array(debugger.chip.cores[core].state.groups[_group(debugger, core, group)].content())


def _group(debugger: Debugger, core: int, group: int) -> int:
    count = len(debugger.chip.programs[core].groups)
    if not 0 <= group < count:
        raise InputError(f"core {core} has no array group {group}: it has {count}, counted from 0")
    return group


def registers(debugger: Debugger, words: Words) -> Iterator[str]:
    """`registers [CORE]`."""
    core = core_of(words, debugger.chip, debugger.session.focus)
    words.end()
    values = debugger.chip.cores[core].registers
    for at in range(0, len(values), PER_LINE):
        yield "  ".join(f"r{at + k} {value}" for k, value in enumerate(values[at : at + PER_LINE]))


def waits(debugger: Debugger, words: Words) -> Iterator[str]:
    """`waits`."""
    words.end()
    scheduler = debugger.chip.scheduler
    waiting = scheduler.waiting()
    cores, going = len(debugger.chip.cores), len(scheduler.running)
    yield f"{going - len(waiting)} of {counted(cores, 'core')} run, {len(waiting)} wait, {cores - going} are over"
    yield from map(str, waiting.values())
    report = scheduler.deadlock()
    if report is not None:
        yield str(report)

"""Prints sections: one instruction per line, loops by braces, source map as `@` lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from emu.asm.addresses import print_address
from emu.asm.fields import print_field
from emu.isa.instruction import FLAG_BITS
from emu.isa.table import LOOP
from emu.program.program import Source
from emu.program.section import Instr, Section

INDENT = "  "
_CODE = 56  # columns before the comments; a longer line has its own behind it


def quote(text: str) -> str:
    """A quoted string of the language; line ends and control characters are escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def print_instruction(instr: Instr) -> str:
    """One instruction without line end; of a loop, its head."""
    spec = instr.spec
    if spec.code == LOOP:
        return f"loop {instr.n}"
    parts = [print_field(name, instr.field(name)) for name in spec.leading]
    operands = zip(spec.operands, instr.operands, strict=True)
    parts += [print_address(operand.space, address) for operand, address in operands]
    parts += [print_field(name, instr.field(name)) for name in spec.fields if name not in spec.leading]
    flags = [name for name in spec.flags if instr.flags & FLAG_BITS[name]]
    return " ".join([instr.text, ", ".join(parts), *flags]).rstrip()


def section_lines(name: str, section: Section, indent: str, source: Callable[[int], str]) -> Iterator[str]:
    """The lines of a section's body; `source(index)` names an entry of the source map.

    A comment gives every instruction the number that errors and `buffer ... complete` use: heads of loops count, their
    ends and `@` lines do not.
    """
    ends: list[int] = []
    current = -1
    for index in range(len(section)):
        while ends and ends[-1] == index:
            ends.pop()
            yield f"{indent}{INDENT * len(ends)}}}"
        instr = section.decode(index)
        inner = indent + INDENT * len(ends)
        if instr.source != current:
            current = instr.source
            yield f"{inner}@ {source(current)}"
        if instr.spec.code == LOOP:
            yield _numbered(f"{inner}loop i{len(ends)} {instr.n} {{", name, index)
            ends.append(instr.end)
        else:
            yield _numbered(f"{inner}{print_instruction(instr)}", name, index)
    while ends:
        ends.pop()
        yield f"{indent}{INDENT * len(ends)}}}"


def _numbered(line: str, name: str, index: int) -> str:
    return f"{line:<{_CODE}} ; {name}[{index}]"


def source_text(source: Source) -> str:
    """A source map entry: node and part."""
    return f"{quote(source.node)} {quote(source.part)}" if source.part else quote(source.node)

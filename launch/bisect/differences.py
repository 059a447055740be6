"""Differences of two sections of instructions, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from emu.asm.section_printer import print_instruction
from emu.isa.table import LOOP
from emu.program.section import Section
from emu.wording import counted

NOTHING = "nothing"


class ListedInstruction(NamedTuple):
    """An instruction as text, and the depth of its loop nest."""

    text: str
    loops: int


class InstructionDifference(NamedTuple):
    """`index` is that of the instruction `text`, at or before which `got` stands in place of `expected`.

    Of a section without instructions there is no index.
    """

    index: int | None
    text: str
    got: str
    expected: str


def differences(mine: Section, theirs: Section) -> Iterator[InstructionDifference]:
    """The differences of `mine` from `theirs`, in order; equal instructions differ if their loop depths do."""
    have, want = _lines(mine), _lines(theirs)
    for first, last, begin, end in _unequal(have, want):
        for k in range(max(last - first, end - begin)):
            index = min(first + k, len(have) - 1) if have else None
            here = have[first + k] if first + k < last else None
            there = want[begin + k] if begin + k < end else None
            text = have[index].text if index is not None else ""
            yield InstructionDifference(index, text, _line_text(here, there), _line_text(there, here))


def _lines(section: Section) -> list[ListedInstruction]:
    lines: list[ListedInstruction] = []
    ends: list[int] = []
    for index in range(len(section)):
        while ends and ends[-1] <= index:
            ends.pop()
        instr = section.decode(index)
        lines.append(ListedInstruction(print_instruction(instr), len(ends)))
        if instr.spec.code == LOOP:
            ends.append(instr.end)
    return lines


def _unequal(
    mine: Sequence[ListedInstruction], theirs: Sequence[ListedInstruction]
) -> Iterator[tuple[int, int, int, int]]:
    """Places [a, b) of `mine` where `theirs` has [c, d). What both begin and end with is left out: matching is slow."""
    shorter = min(len(mine), len(theirs))
    head = next((k for k in range(shorter) if mine[k] != theirs[k]), shorter)
    tail = next((k for k in range(shorter - head) if mine[-1 - k] != theirs[-1 - k]), shorter - head)
    parts = [lines[head : len(lines) - tail] for lines in (mine, theirs)]
    for tag, a, b, c, d in SequenceMatcher(None, *parts, autojunk=False).get_opcodes():
        if tag != "equal":
            yield head + a, head + b, head + c, head + d


def _line_text(line: ListedInstruction | None, other: ListedInstruction | None) -> str:
    """The text of a line next to its counterpart: with its loop depth if nothing else distinguishes them."""
    if line is None:
        return NOTHING
    return line.text if other is None or line.text != other.text else f"{line.text} in {counted(line.loops, 'loop')}"

"""What a flow says of itself, in comments that begin with `//@` and stand before its operators.

CIM-MLC's grammar has no declarations; whoever reads only the grammar skips them as comments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import fields

from emu.arch.chip import BINDINGS
from emu.arch.mode import MODES
from emu.asm.cursor import Cursor
from emu.asm.form_text import form_text, parse_form
from emu.asm.lexer import TokenKind
from emu.interop.mop.chip import MopChip
from emu.interop.mop.flow import MAX_NUMBER, NUMBERS, FlowHeader, FlowTensor, NumberFormats

MARK = "//@"
_LEAST = {"cell_bits": 0}  # of other numbers of a chip 1
_WORDS = {"mode": tuple(MODES), "binding": BINDINGS}
_SETTINGS = tuple(field.name for field in fields(MopChip))[1:]


class HeaderReader:
    """Takes declarations one by one; `header` is what they say together."""

    def __init__(self, file_name: str) -> None:
        self._file = file_name
        self._chip: MopChip | None = None
        self._numbers: NumberFormats | None = None
        self._tensors: dict[str, list[FlowTensor]] = {"input": [], "output": []}

    @property
    def header(self) -> FlowHeader:
        """What was declared so far."""
        numbers = self._numbers or NUMBERS["int8"]
        return FlowHeader(self._chip, numbers, tuple(self._tensors["input"]), tuple(self._tensors["output"]))

    def take(self, text: str, line: int, column: int) -> None:
        """Take the text behind a mark, which stands there; raises ProgramError with file, line and column."""
        cursor = Cursor(text, self._file, line, column)
        kinds: dict[str, Callable[[Cursor], None]] = {
            "chip": self._take_chip,
            "numbers": self._take_numbers,
            "input": lambda at: self._take_tensor(at, "input"),
            "output": lambda at: self._take_tensor(at, "output"),
        }
        kinds[cursor.one_of(kinds, f"a declaration ({', '.join(kinds)})")](cursor)
        if cursor.token.kind is not TokenKind.END:
            cursor.expected("the end of the declaration")

    def _take_chip(self, cursor: Cursor) -> None:
        if self._chip is not None:
            cursor.fail("the chip is declared twice")
        name, found = cursor.string("the chip's name"), dict[str, int | str]()
        for setting in _SETTINGS:
            cursor.expect(setting)
            if setting in _WORDS:
                found[setting] = cursor.one_of(_WORDS[setting], " or ".join(_WORDS[setting]))
            else:
                found[setting] = cursor.integer(f"the chip's {setting}", _LEAST.get(setting, 1), MAX_NUMBER)
        self._chip = MopChip(name, **found)  # pyright: ignore[reportArgumentType]

    def _take_numbers(self, cursor: Cursor) -> None:
        if self._numbers is not None:
            cursor.fail("the numbers are declared twice")
        self._numbers = NUMBERS[cursor.one_of(NUMBERS, f"numbers ({' or '.join(NUMBERS)})")]

    def _take_tensor(self, cursor: Cursor, kind: str) -> None:
        begin = cursor.token
        name = cursor.string(f"the name of an {kind}")
        if any(tensor.name == name for tensor in self._tensors[kind]):
            cursor.fail(f"{kind} {begin} is declared twice", begin)
        begin = cursor.token
        dtype, form = parse_form(cursor, ("at",))
        if fault := form.fault():
            cursor.fail(fault, begin)
        cursor.expect("at")
        address = cursor.integer("an address", 0, MAX_NUMBER)
        self._tensors[kind].append(FlowTensor(name, dtype, form, address))


def print_header(header: FlowHeader) -> Iterator[str]:
    """The lines that declare it."""
    if header.chip is not None:
        settings = " ".join(f"{name} {getattr(header.chip, name)}" for name in _SETTINGS)
        yield f"{MARK} chip {json.dumps(header.chip.name)} {settings}"
    yield f"{MARK} numbers {header.numbers.name}"
    for kind, tensors in (("input", header.inputs), ("output", header.outputs)):
        for tensor in tensors:
            yield f"{MARK} {kind} {json.dumps(tensor.name)} {form_text(tensor.form, tensor.dtype)} at {tensor.address}"

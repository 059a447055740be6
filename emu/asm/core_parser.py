"""Parses one `core` block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from emu.asm.cursor import Cursor
from emu.asm.form_text import CHANNELS, parse_box, parse_form
from emu.asm.lexer import TokenKind
from emu.asm.program_set import CoreText, Weights
from emu.asm.section_parser import ParsedSection, SectionParser, SourceTable, parse_source
from emu.asm.values import parse_matrix, parse_vector
from emu.image.groups import place_groups
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec
from emu.program.limits import MAX_ADDRESS, MAX_INDEX
from emu.program.program import BufferSpec, Data, Program
from emu.program.section import empty_section

LoadData = Callable[[str], bytes]


class CoreParser:
    """Takes one core; `load_data` reads files that `data ... file` names (it raises InputError)."""

    def __init__(self, cursor: Cursor, load_data: LoadData) -> None:
        self._cursor, self._load_data = cursor, load_data
        self._groups: list[tuple[GroupSpec, bool]] = []  # with whether its place in the file is given
        self._weights: list[Weights] = []
        self._data: list[Data] = []
        self._state: list[tuple[int, int]] = []
        self._sources = SourceTable()
        self._buffers: list[BufferSpec] = []
        self._sections: dict[str, ParsedSection] = {}

    def parse(self) -> CoreText:
        """The core, from its number on."""
        cursor = self._cursor
        core = cursor.integer("a core number", 0, MAX_INDEX)
        cursor.open_block()
        statements: dict[str, Callable[[], None]] = {
            "group": self._group,
            "data": self._datum,
            "state": self._state_range,
            "source": self._source,
            "buffer": self._buffer,
            "init": lambda: self._section("init"),
            "main": lambda: self._section("main"),
        }
        while cursor.in_block():
            statements[cursor.one_of(statements, f"{', '.join(statements)} or '}}'")]()
            cursor.end_statement()
        return self._finish(core)

    def _finish(self, core: int) -> CoreText:
        groups = [group for group, _ in self._groups]
        placed = place_groups(groups)
        program = Program(
            core,
            tuple(group if given else usual for (group, given), usual in zip(self._groups, placed, strict=True)),
            tuple(self._data),
            tuple(self._state),
            self._sections["init"].section if "init" in self._sections else empty_section(),
            self._sections["main"].section if "main" in self._sections else empty_section(),
            tuple(self._sources.entries),
            tuple(self._buffers),
        )
        return CoreText(program, tuple(self._weights), {name: part.lines for name, part in self._sections.items()})

    def _source(self) -> None:
        self._sources.add(parse_source(self._cursor))

    def _section(self, name: str) -> None:
        if name in self._sections:
            self._cursor.fail(f"{name} occurs twice")
        self._sections[name] = SectionParser(self._cursor, self._sources).parse()

    def _group(self) -> None:
        cursor = self._cursor
        cursor.integer("the next group number", len(self._groups), len(self._groups))
        types = self._group_types()
        cursor.expect("rows")
        rows = cursor.list_of_integers("the rows of a row tile", 1, MAX_INDEX)
        cursor.expect("cols")
        cols = cursor.list_of_integers("the columns of a column tile", 1, MAX_INDEX)
        group, given = GroupSpec(*types, rows, cols), cursor.accept("at")
        if given:
            group = replace(group, offset=cursor.integer("the offset in the file", 0, MAX_ADDRESS))
        if cursor.accept("bank"):
            group = replace(group, bank=cursor.integer("the first crossbar of the bank that it takes", 0, MAX_INDEX))
        self._groups.append((group, given))
        if group.shares:
            return
        cursor.expect("weights")
        if cursor.token.kind is TokenKind.STRING:
            self._weights.append(cursor.beside())
        else:
            self._weights.append(parse_matrix(cursor, group.weight, group.rows, group.cols))

    def _group_types(self) -> tuple[DType, DType, DType]:
        cursor = self._cursor
        begin = cursor.token
        names = cursor.word("the types of the group").split(".")
        if len(names) != 3 or any(name not in DType.__members__ for name in names):
            cursor.fail(f"expected input.weight.output types such as i8.i8.i32, got {begin}", begin)
        return DType[names[0]], DType[names[1]], DType[names[2]]

    def _datum(self) -> None:
        cursor = self._cursor
        address = cursor.integer("an address", 0, MAX_ADDRESS)
        form = cursor.one_of(("hex", "file", *DType.__members__), "'hex', 'file' or an element type")
        if form == "file":
            content = self._load_data(cursor.beside())
        elif form == "hex":
            content = self._hex()
        else:
            content = parse_vector(cursor, DType[form]).tobytes()
        self._data.append(Data(address, content))

    def _hex(self) -> bytes:
        cursor = self._cursor
        if not cursor.accept("{"):
            return self._hex_line()
        lines: list[bytes] = []
        while cursor.in_block():
            lines.append(self._hex_line())
            cursor.end_statement()
        return b"".join(lines)

    def _hex_line(self) -> bytes:
        begin = self._cursor.token
        try:
            return bytes.fromhex(self._cursor.string("hexadecimal digits"))
        except ValueError:
            self._cursor.fail(f"expected pairs of hexadecimal digits, got {begin}", begin)

    def _state_range(self) -> None:
        address = self._cursor.integer("an address", 0, MAX_ADDRESS)
        self._cursor.expect("size")
        self._state.append((address, self._cursor.integer("a number of bytes", 0, MAX_ADDRESS)))

    def _buffer(self) -> None:
        cursor = self._cursor
        tensor = cursor.string("a tensor name")
        dtype, form = parse_form(cursor, (CHANNELS, "at"))
        box = parse_box(cursor, form)
        cursor.expect("at")
        address = cursor.integer("an address", 0, MAX_ADDRESS)
        cursor.expect("complete")
        complete = cursor.integer("the instruction before which it is complete", 0, MAX_INDEX)
        self._buffers.append(BufferSpec(tensor, form, box, dtype, address, complete))

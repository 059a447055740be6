"""Where the operations of a module stand in the text that it was read from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.ir import Operation
from xdsl.utils.lexer import Position

from compiler.session.guarded_parser import GuardedParser

MAX_TEXT = 1 << 26  # bytes of a stage's text, or of a host program; a large network's has a tenth of them


class LocatingParser(GuardedParser):
    """A parser that remembers where each operation begins, as a position in characters.

    `under_way` is the beginning of the innermost one that is being read, also behind an error; None outside of any.
    """

    def __init__(self, context: Context, text: str, name: str) -> None:
        super().__init__(context, text, name)
        self.begins: dict[Operation, Position] = {}
        self.under_way: Position | None = None

    def parse_operation(self) -> Operation:
        """An operation; its inner ones come through here, too."""
        begin = self._current_token.span.start
        outer, self.under_way = self.under_way, begin
        op = super().parse_operation()
        self.begins[op], self.under_way = begin, outer
        return op


@dataclass(frozen=True, slots=True)
class SourceText:
    """`text` of the file `path`, and the line of each operation that was read from it."""

    path: Path
    text: str
    lines: dict[Operation, int]

    @staticmethod
    def of(path: Path, text: str, begins: dict[Operation, Position]) -> SourceText:
        """The text of `path` with the line of each operation; `begins` are their positions in characters."""
        lines, line, at = dict[Operation, int](), 1, 0
        for op, begin in sorted(begins.items(), key=lambda entry: entry[1]):
            line, at = line + text.count("\n", at, begin), begin
            lines[op] = line
        return SourceText(path, text, lines)

    def line_of(self, op: Operation) -> str:
        """`line 12: `, where an operation, or the one around it, stands; empty for one that is not from the text."""
        inner: Operation | None = op
        while inner is not None and inner not in self.lines:
            inner = inner.parent_op()
        return f"line {self.lines[inner]}: " if inner is not None and inner.parent is not None else ""

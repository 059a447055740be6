"""Traps: why a core stopped, in the user's terms."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrapRecord:
    """Everything known about a trap; `section` is "init" or "main", `index` the instruction in it."""

    core: int
    section: str
    index: int
    instruction: str  # mnemonic with types
    counters: tuple[int, ...]  # loop counters, outermost first
    sample: int
    node: str  # ONNX node, empty if unknown
    reason: str  # "address out of range", "undefined read", ...
    operand: str = ""  # role of the operand
    value: int | None = None
    limit: int | None = None

    def __str__(self) -> str:
        where = f"core {self.core} trapped at {self.section}[{self.index}] {self.instruction}"
        loops = f", loops {list(self.counters)}" if self.counters else ""
        node = f", node {self.node}" if self.node else ""
        operand = f", operand {self.operand}" if self.operand else ""
        value = f", value {self.value}" if self.value is not None else ""
        limit = f", limit {self.limit}" if self.limit is not None else ""
        return f"{where} (sample {self.sample}{loops}{node}): {self.reason}{operand}{value}{limit}"


class CoreTrap(Exception):
    """Raised by a core that traps; carries the record."""

    def __init__(self, record: TrapRecord) -> None:
        super().__init__(str(record))
        self.record = record

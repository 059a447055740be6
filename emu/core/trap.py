"""Traps: why a core stopped, in the user's terms."""

from __future__ import annotations

from dataclasses import dataclass

INIT_SAMPLE = -1  # the number that `init` has where `main` has its sample


@dataclass(frozen=True, slots=True)
class TrapRecord:
    """Everything known about a trap; `section` is "init" or "main", `index` the instruction in it."""

    core: int
    section: str
    index: int
    instruction: str  # mnemonic with types
    counters: tuple[int, ...]  # loop counters, outermost first
    sample: int  # INIT_SAMPLE in `init`
    node: str  # ONNX node, empty if unknown
    reason: str  # "address out of range", "undefined read", ...
    operand: str = ""  # role of the operand
    value: int | None = None
    limit: int | None = None

    def __str__(self) -> str:
        where = f"core {self.core} trapped at {self.section}[{self.index}] {self.instruction}"
        sample = [] if self.sample == INIT_SAMPLE else [f"sample {self.sample}"]
        loops = [f"loops {list(self.counters)}"] if self.counters else []
        node = [f"node {self.node}"] if self.node else []
        details = ", ".join(sample + loops + node)
        operand = f", operand {self.operand}" if self.operand else ""
        value = f", value {self.value}" if self.value is not None else ""
        limit = f", limit {self.limit}" if self.limit is not None else ""
        return f"{where}{f' ({details})' if details else ''}: {self.reason}{operand}{value}{limit}"


class CoreTrap(Exception):
    """Raised by a core that traps; carries the record."""

    def __init__(self, record: TrapRecord) -> None:
        super().__init__(str(record))
        self.record = record

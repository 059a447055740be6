"""Traps: why a core stopped, in the user's terms."""

from __future__ import annotations

from dataclasses import dataclass

from emu.wording import address_text

INIT_SAMPLE = -1  # the number that `init` has where `main` has its sample
# How reasons begin of which value and limit are addresses.
_OF_ADDRESSES = ("address out of range", "undefined read", "partial overlap", "overwrites ", "stores ", "loads ")


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
        why = fault_text(self.reason, self.operand, self.value, self.limit)
        return f"{where}{f' ({details})' if details else ''}: {why}"


def fault_text(reason: str, operand: str, value: int | None, limit: int | None) -> str:
    """A fault in words; addresses as programs' text has them."""
    of_address = reason.startswith(_OF_ADDRESSES)
    text = address_text if of_address else str
    named = f", operand {operand}" if operand else ""
    numbers = ("address" if of_address else "value", value), ("limit", limit)
    return reason + named + "".join(f", {name} {text(number)}" for name, number in numbers if number is not None)


class CoreTrap(Exception):
    """Raised by a core that traps; carries the record."""

    def __init__(self, record: TrapRecord) -> None:
        super().__init__(str(record))
        self.record = record

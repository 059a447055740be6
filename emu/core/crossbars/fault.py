"""A fault: what went wrong inside an instruction, before it is known where (the core adds the position)."""

from __future__ import annotations


class Fault(Exception):
    """Why an instruction cannot complete; becomes the reason, operand, value and limit of a trap record."""

    def __init__(self, reason: str, operand: str = "", value: int | None = None, limit: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.operand, self.value, self.limit = reason, operand, value, limit

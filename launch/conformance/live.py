"""Which inputs of a case are live, that is, known at run time only: as many as the compiler takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseInputs:
    """How many `inputs` a case has, the names of those that are `frozen`, and `why` they cannot all be live.

    `idle`: an output depends on no value of those that are live, so that a core stores what the compiler knows.
    """

    count: int = 0
    frozen: Names = ()
    why: str = ""
    idle: bool = False

    @property
    def kind(self) -> str:
        """The kind, one of `KINDS`."""
        if self.idle:
            return NONE
        if not self.frozen:
            return ALL
        return FIRST if self.count - len(self.frozen) <= 1 else SOME


ALL, SOME, FIRST = "all inputs live", "several inputs live", "one input live"
NONE = "an output that no live value decides"
KINDS = (ALL, SOME, FIRST, NONE)


def fewest_frozen(table: Sequence[str], count: int, refusal: Callable[[Names], str]) -> CaseInputs:
    """The inputs of a case with as few of `table` frozen as can be; `refusal` says why some are not enough, or "".

    First none of them; then one after the other is left live, if the case compiles so.
    """
    if not table or not (why := refusal(())):
        return CaseInputs(count)
    frozen = tuple(table)
    for name in table:
        rest = tuple(other for other in frozen if other != name)
        if rest and not refusal(rest):
            frozen = rest
    return CaseInputs(count, frozen, why)

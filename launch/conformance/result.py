"""What can come of a case of the suite, and which of its inputs are there at run time only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

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
        """One of `KINDS_OF_INPUTS`."""
        if self.idle:
            return NONE
        if not self.frozen:
            return ALL
        return FIRST if self.count - len(self.frozen) <= 1 else SOME


ALL, SOME, FIRST = "all inputs live", "several inputs live", "one input live"
NONE = "an output that no live value decides"
KINDS_OF_INPUTS = (ALL, SOME, FIRST, NONE)


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


PASSED, HOSTED, FAILED, REFUSED = "passed", "hosted", "failed", "refused"
EMPTY, SKIPPED, NOT_RUN = "empty", "skipped", "not run"
# Outcome -> what it means. `passed` is only what ran on core processes alone and gave what the suite expects.
OUTCOMES = {
    PASSED: "gave on core processes what the suite expects",
    HOSTED: "gave it, but nodes that the compiler refuses ran on the host",
    FAILED: "gave something else, or nothing: a trap, a deadlock, a death, a timeout",
    REFUSED: "the compiler does not take the network",
    EMPTY: "ran, but no output has an element: nothing to compare",
    SKIPPED: "the network or its data are not in the installed onnx",
    NOT_RUN: "the deadline came first",
}


@dataclass(frozen=True, slots=True)
class ConformanceResult:
    """`outcome` is one of `OUTCOMES`, `reason` a sentence, the host nodes of what is hosted, empty for what passed.

    `seconds` are of the host.
    """

    name: str
    kind: str
    operator: str
    outcome: str
    reason: str = ""
    seconds: float = 0.0
    inputs: CaseInputs = field(default_factory=CaseInputs)

    def to_dict(self) -> dict[str, object]:
        """Plain values for --json."""
        return {
            "name": self.name,
            "kind": self.kind,
            "operator": self.operator,
            "outcome": self.outcome,
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
            "live": self.inputs.kind,
            "frozen": list(self.inputs.frozen),
            "why_frozen": self.inputs.why,
        }

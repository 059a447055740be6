"""The outcomes of a case of the suite, and its result."""

from __future__ import annotations

from dataclasses import dataclass, field

from launch.conformance.live import CaseInputs

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

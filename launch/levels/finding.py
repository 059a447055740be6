"""The finding of a comparison of levels: the first pass, operation and element that differs, and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from emu.wording import counted

PROGRAMS = "code generation"  # the step behind the last pass
SHOWN = 160  # characters of an operation's text


@dataclass(frozen=True, slots=True)
class LevelDifference:
    """Where the network changes first: `step` is a pass, the import, or the generation of code.

    `operation` is the first whose value differs, `text` how it stands in the IR; `what` says of a level that cannot be
    executed why. Else `index` is the element that is furthest off, of `tensor` in ONNX's order or of what `value`
    tells, `before` and `after` are its values, and `elements` of `of` are off by more than `limit`.
    """

    step: str
    operation: str
    node: str
    text: str = ""
    core: int | None = None
    what: str = ""
    tensor: str = ""
    value: str = ""
    index: tuple[int, ...] = ()
    before: float | int = 0
    after: float | int = 0
    elements: int = 0
    of: int = 0
    limit: float = 0.0
    seen_at: str = ""  # another operation, by which the value left the core

    def sentence(self) -> str:
        """The difference as a sentence."""
        core = f" on core {self.core}" if self.core is not None else ""
        named = f"{self.operation}{f' of node {self.node}' if self.node else ''}{core}"
        if self.what:
            return f"the first step that changes the network is {self.step}: {named} {self.what}"
        where = f"{self.value or f'tensor {self.tensor}'} at {list(self.index)}"
        seen = f" (seen where it leaves the core, at {self.seen_at})" if self.seen_at else ""
        return (
            f"the first step that changes the network is {self.step}: {named} makes {where} {_number(self.after)} where"
            f" it was {_number(self.before)}, {self.elements} of {counted(self.of, 'element')} off by more than"
            f" {self.limit:.3g}{seen}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = asdict(self) | {"index": list(self.index), "sentence": self.sentence()}
        return {name: str(v) if isinstance(v, float) and not np.isfinite(v) else v for name, v in values.items()}


@dataclass(frozen=True, slots=True)
class Levels:
    """The outcome: the steps that were executed, of which the last may be the programs; None differs if all agree.

    `same` are passes that changed nothing, so that nothing was executed after them.
    """

    steps: tuple[str, ...]
    same: tuple[str, ...] = ()
    compared: int = 0  # values
    differs: LevelDifference | None = None
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def passed(self) -> bool:
        """Whether all levels, and the programs if there are any, make the same."""
        return self.differs is None

    def sentence(self) -> str:
        """The outcome as a sentence."""
        if self.differs is not None:
            return self.differs.sentence()
        programs = " and the programs" if PROGRAMS in self.steps else ""
        passes = len(self.steps) + len(self.same) - (PROGRAMS in self.steps) - 1
        return f"the import, {counted(passes, 'pass', 'passes')}{programs} agree in {counted(self.compared, 'value')}"

    def line(self) -> str:
        """A line with a verdict."""
        return f"{'PASS' if self.passed else 'FAIL'}  levels: {self.sentence()}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "passed": self.passed,
            "steps": list(self.steps),
            "same": list(self.same),
            "compared": self.compared,
            "differs": self.differs.to_dict() if self.differs else None,
            "seconds": {name: round(seconds, 4) for name, seconds in self.seconds.items()},
            "sentence": self.sentence(),
        }


def _number(value: float | int) -> str:
    return f"{value:.7g}" if isinstance(value, float) else str(value)

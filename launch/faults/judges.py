"""What a run must say about a fault."""

from __future__ import annotations

import signal
from collections.abc import Callable

from emu.errors import EmuError
from launch.faults.plan import TrialPlan
from launch.supervision.errors import NOT_BEGUN, CoreDied

Judge = Callable[[TrialPlan, EmuError], str]  # what is wrong with the error; empty: nothing


def died(number: int) -> Judge:
    """The victim was killed by signal `number`; if it had begun, its last instruction is named."""

    def judge(plan: TrialPlan, error: EmuError) -> str:
        right = isinstance(error, CoreDied) and (error.core, error.status) == (plan.victim, -number)
        placed = any(words in str(error) for words in ("last seen at ", NOT_BEGUN))
        return "" if right and placed else f"core {plan.victim} was killed: {error}"

    return judge


def ended(name: str, number: signal.Signals) -> Judge:
    """The process `name`, which is no core, was killed by signal `number`."""

    def judge(plan: TrialPlan, error: EmuError) -> str:
        right = isinstance(error, CoreDied) and f"{name} was killed by {number.name}" in str(error)
        return "" if right else f"{name} was killed: {error}"

    return judge


def named(kind: type[EmuError], names: Callable[[TrialPlan], list[str]]) -> Judge:
    """The error must be of this kind, with these words in it."""

    def judge(plan: TrialPlan, error: EmuError) -> str:
        missing = [name for name in names(plan) if name not in str(error)]
        return "" if isinstance(error, kind) and not missing else f"expected {kind.__name__} {missing}: {error}"

    return judge

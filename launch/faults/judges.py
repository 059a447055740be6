"""What a run must say about a fault."""

from __future__ import annotations

from collections.abc import Callable

from emu.errors import EmuError
from launch.errors import CoreDied
from launch.faults.plan import Plan

Judge = Callable[[Plan, EmuError], str]  # what is wrong with the error; empty: nothing


def died(status: int) -> Judge:
    def judge(plan: Plan, error: EmuError) -> str:
        right = isinstance(error, CoreDied) and (error.core, error.status) == (plan.victim, -status)
        return "" if right and isinstance(error, CoreDied) and error.place else f"core {plan.victim} died: {error}"

    return judge


def ended(name: str) -> Judge:
    def judge(plan: Plan, error: EmuError) -> str:
        right = isinstance(error, CoreDied) and f"{name} was killed by SIGKILL" in str(error)
        return "" if right else f"{name} was killed: {error}"

    return judge


def named(kind: type[EmuError], names: Callable[[Plan], list[str]]) -> Judge:
    """The error must be of this kind, with these words in it."""

    def judge(plan: Plan, error: EmuError) -> str:
        missing = [name for name in names(plan) if name not in str(error)]
        return "" if isinstance(error, kind) and not missing else f"expected {kind.__name__} {missing}: {error}"

    return judge

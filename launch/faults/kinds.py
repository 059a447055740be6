"""The table of kinds of faults: a new one is one row."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass

from emu.chaos.spec import Chaos
from launch.faults.inside import Inside
from launch.faults.judges import died, ended, named
from launch.faults.makers import (
    Moment,
    acknowledgement_gone,
    deadlocked,
    kill,
    message_gone,
    seen,
    stop_and_continue,
    trapped,
)
from launch.faults.outside import Outside
from launch.faults.plan import TrialPlan
from launch.faults.subjects import deadlocking_ring, trapping_ring
from launch.supervision.errors import CoreTrapped, Deadlock, MessageLost, RunTimeout

TIMEOUT = 2.0  # seconds of the trial that lasts until its timeout
NODE, ZYGOTE = "the memory node", "the zygote process"


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One row: the fault, the interval that is measured, the trial; it must be detected within `limit` seconds."""

    name: str
    measured: str
    how: Inside | Outside
    limit: float | None = 1.0


def _lost(what: str, moment: Moment, chaos: Callable[[TrialPlan], str]) -> Inside:
    """`what` goes from the victim to the core after it, and chaos loses it; `moment` is when."""
    return Inside(
        seen(moment),
        named(MessageLost, lambda plan: [f"{what} {plan.rounds} from core {plan.victim} to core {plan.next} was lost"]),
        options=lambda plan: {"chaos": Chaos((chaos(plan),))},
    )


_DIED = "signal to error"
_GONE = "signal until all is gone"
ENDS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)


def _helper(number: signal.Signals, name: str) -> FaultKind:
    """A process of the run that is no core is killed."""
    return FaultKind(f"{name[4:]} {number.name}", _DIED, Inside(kill(number, name), ended(name, number)))


KINDS = (
    FaultKind("core SIGKILL", _DIED, Inside(kill(signal.SIGKILL), died(signal.SIGKILL))),
    FaultKind("core SIGSEGV", _DIED, Inside(kill(signal.SIGSEGV), died(signal.SIGSEGV))),
    FaultKind("core SIGABRT", _DIED, Inside(kill(signal.SIGABRT), died(signal.SIGABRT))),
    FaultKind(
        "trap",
        "trap to error",
        Inside(
            seen(trapped),
            named(CoreTrapped, lambda plan: [f"core {plan.victim} ", "undefined read"]),
            lambda plan: trapping_ring(plan.folder, plan.cores, plan.victim, plan.rounds),
        ),
    ),
    FaultKind(
        "deadlock",
        "last core blocked to error",
        Inside(
            seen(deadlocked),
            named(Deadlock, lambda plan: [f"core {core} waits for" for core in range(plan.cores)]),
            lambda plan: deadlocking_ring(plan.folder, plan.cores, plan.rounds),
        ),
    ),
    FaultKind(
        "lost acknowledgement",
        "loss to error",
        _lost(
            "the acknowledgement of message",
            acknowledgement_gone,
            lambda plan: f"drop-credit:{plan.next}@{plan.rounds}",
        ),
    ),
    FaultKind(
        "lost message",
        "loss to error",
        _lost("message", message_gone, lambda plan: f"drop:{plan.victim}@{plan.rounds}"),
    ),
    FaultKind("SIGSTOP, SIGCONT", "must end right", Inside(stop_and_continue, None), None),
    FaultKind(
        "SIGSTOP until the timeout",
        "timeout to error",
        Inside(
            kill(signal.SIGSTOP),
            named(RunTimeout, lambda plan: [f"core {plan.victim} is stopped (SIGSTOP)"]),
            timeout=TIMEOUT,
        ),
    ),
    *(_helper(number, name) for name in (NODE, ZYGOTE) for number in ENDS),
    FaultKind("launcher SIGKILL", _GONE, Outside(signal.SIGKILL, -signal.SIGKILL)),
    FaultKind("launcher SIGINT", _GONE, Outside(signal.SIGINT, 130)),
    FaultKind("launcher SIGTERM", _GONE, Outside(signal.SIGTERM, 143)),
)

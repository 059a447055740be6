"""Makers of faults: signals at a moment of the plan, or faults of programs and network."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from emu.noc.watch.board import Activity, BoardWord
from launch.chips.power import ProcessChip
from launch.faults.plan import SAFETY, TrialPlan

LOOK = 0.001  # seconds between two checks for the moment of a fault
PAUSE = 0.3  # seconds between SIGSTOP and SIGCONT

Maker = Callable[
    [ProcessChip, TrialPlan], float
]  # makes the fault, or waits until it is there; the time (monotonic) of it


Moment = Callable[[ProcessChip, TrialPlan], bool]  # whether the fault is there now


def kill(number: signal.Signals, name: str = "") -> Maker:
    """Sends a signal to the victim, or to the process `name`, after the delay."""

    def make(chip: ProcessChip, plan: TrialPlan) -> float:
        time.sleep(plan.delay)
        process = chip.processes[name or f"core {plan.victim}"]
        now = time.monotonic()
        os.kill(process, number)
        return now

    return make


def stop_and_continue(chip: ProcessChip, plan: TrialPlan) -> float:
    """Stops the victim after the delay, and continues it after a pause."""
    now = kill(signal.SIGSTOP)(chip, plan)
    time.sleep(PAUSE)
    os.kill(chip.processes[f"core {plan.victim}"], signal.SIGCONT)
    return now


def seen(moment: Moment) -> Maker:
    """Waits for a fault that the programs, or the network, make themselves."""

    def make(chip: ProcessChip, plan: TrialPlan) -> float:
        deadline = time.monotonic() + SAFETY
        while not moment(chip, plan):
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(LOOK)
        return time.monotonic()

    return make


def trapped(chip: ProcessChip, plan: TrialPlan) -> bool:
    """The victim says that it has trapped."""
    return bool(chip.board.rows[plan.victim, BoardWord.ACTIVITY] == Activity.TRAPPED)


def deadlocked(chip: ProcessChip, plan: TrialPlan) -> bool:
    """All cores wait for the message after the good rounds."""
    rows = chip.board.rows
    waits = (rows[:, BoardWord.ACTIVITY] == Activity.RECV) & (rows[:, BoardWord.INDEX] >= plan.rounds)
    return bool(waits.all())


def message_gone(chip: ProcessChip, plan: TrialPlan) -> bool:
    """The victim has sent the message that is lost."""
    return bool(chip.board.sent[plan.victim, plan.next] > plan.rounds)


def acknowledgement_gone(chip: ProcessChip, plan: TrialPlan) -> bool:
    """The next core has taken the message whose acknowledgement is lost."""
    return bool(chip.board.taken[plan.next, plan.victim] > plan.rounds)

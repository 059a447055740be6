"""Trials with a run that this process launches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from emu.errors import EmuError
from emu.wording import counted
from launch.chips.power import ProcessChip, power_on
from launch.faults.judges import Judge
from launch.faults.leaks import leaks_of
from launch.faults.makers import Maker
from launch.faults.plan import SAFETY, FaultTrial, TrialPlan
from launch.faults.subjects import Subject, traffic


@dataclass(frozen=True, slots=True)
class Inside:
    """A kind of fault. `judge` None: the run must go on and end right.

    `timeout` is for a fault that is known only when it is over: what is measured begins there.
    """

    make: Maker
    judge: Judge | None
    subject: Callable[[TrialPlan], Subject] = lambda plan: traffic(plan.folder, plan.cores)
    options: Callable[[TrialPlan], dict[str, Any]] = lambda plan: {}
    timeout: float | None = None

    def try_out(self, plan: TrialPlan) -> FaultTrial:
        """Run one trial."""
        subject = self.subject(plan)
        with power_on(subject.image, timeout=self.timeout or SAFETY, **self.options(plan)) as chip:
            processes = chip.processes
            scene = _Scene(chip, plan, self.make)
            problem, begun, known = self._run(subject, chip, scene, plan)
        moment = scene.moment()
        if moment is None:
            problem = problem or "the fault never came"
        elif self.timeout:
            moment = begun + self.timeout
        seconds = None if known is None or moment is None else max(0.0, known - moment)
        return FaultTrial(seconds, problem, leaks_of(processes))

    def _run(
        self, subject: Subject, chip: ProcessChip, scene: _Scene, plan: TrialPlan
    ) -> tuple[str, float, float | None]:
        """The problem, when the last sample began, and when the fault was detected (None: the run went on)."""
        wrong, begun = 0, time.monotonic()
        try:
            for faults in subject.samples(chip):
                wrong, begun = wrong + faults, time.monotonic()
                if self.judge is None and scene.over.is_set():
                    return (
                        f"{counted(wrong, 'report of a core was', 'reports of cores were')} wrong" if wrong else "",
                        begun,
                        None,
                    )
        except EmuError as error:
            known = time.monotonic()
            return self.judge(plan, error) if self.judge else f"the run ended: {error}", begun, known
        return "the run ended as if nothing had been", begun, None


class _Scene:
    """Makes the fault in a thread of its own while the run goes on; an interrupted program does not wait for it."""

    def __init__(self, chip: ProcessChip, plan: TrialPlan, make: Maker) -> None:
        self.over = threading.Event()
        self._at: float | None = None
        self._thread = threading.Thread(target=self._play, args=(chip, plan, make), daemon=True)
        self._thread.start()

    def _play(self, chip: ProcessChip, plan: TrialPlan, make: Maker) -> None:
        try:
            self._at = make(chip, plan)
        except (TimeoutError, ProcessLookupError):
            self._at = None
        finally:
            self.over.set()

    def moment(self) -> float | None:
        """The time (monotonic) of the fault; None if it was not made."""
        self._thread.join()
        return self._at

"""A debugging session: runs a chip to where somebody wants to look at it, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from emu.core.trap import TrapRecord
from emu.debug.chip import SteppedChip
from emu.debug.conditions import Breakpoint, Condition
from emu.debug.ending import Ending
from emu.debug.loops import entered, loop_places
from emu.debug.moment import Moment
from emu.debug.timeline import DebugTimeline
from emu.errors import InputError


class StandstillReason(Enum):
    """What a chip stands still for."""

    BEGIN = "begin"  # nothing has run yet
    STEP = "step"
    BREAK = "break"
    SAMPLE = "sample"  # a sample is about to begin
    HALTED = "halted"  # the core that was stepped has halted
    TRAP = "trap"  # a core has trapped; others may go on
    INTERRUPT = "interrupt"
    BACK = "back"
    END = "end"


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a session stands: after `turns` turns, `core` in focus; `numbers` are the breakpoints that hold."""

    why: StandstillReason
    turns: int
    core: int
    numbers: tuple[int, ...] = ()
    trap: TrapRecord | None = None
    ending: Ending | None = None


Reached = Callable[[int | None], bool]  # asked before each turn, with the core that is about to begin an instruction


class Session:
    """Stops are always between two turns: before the instruction that they are about, or behind what went wrong.

    `interrupted` is asked after every turn: once it is true, what runs stops there.
    """

    def __init__(
        self,
        chip: SteppedChip,
        interrupted: Callable[[], bool] = lambda: False,
        timeline: Callable[[SteppedChip], DebugTimeline] = lambda chip: DebugTimeline(chip.save()),
    ) -> None:
        self.chip = chip
        self.breakpoints: dict[int, Breakpoint] = {}
        self.history: list[Stop] = []  # earlier stops, the last one last
        self._interrupted, self._timeline = interrupted, timeline(chip)
        self._added = 0
        first = chip.scheduler.upcoming
        self.stop = Stop(StandstillReason.BEGIN, chip.turns, first if first is not None else min(chip.cores))
        self._looked_at: tuple[int, int] | None = None  # the core and instruction that the last stop is about

    @property
    def focus(self) -> int:
        """The core that steps are about."""
        return self.stop.core

    def look_at(self, core: int) -> None:
        """Put `core` in focus; raises InputError if it has no program."""
        if core not in self.chip.cores:
            known = ", ".join(map(str, list(self.chip.cores)[:8]))
            raise InputError(f"core {core} has no program: the first cores with one are {known}")
        self.stop = Stop(self.stop.why, self.stop.turns, core, self.stop.numbers, self.stop.trap, self.stop.ending)

    def add(self, conditions: tuple[Condition, ...], text: str) -> int:
        """A new breakpoint; its number."""
        self._added += 1
        self.breakpoints[self._added] = Breakpoint(conditions, text)
        return self._added

    def step(self, count: int = 1) -> Stop:
        """Let the core in focus run `count` instructions; the others take their turns."""
        chip, core = self.chip, self.focus
        under_way = chip.at_end(core) or chip.scheduler.open_request(core) is not None
        target = chip.begun[core] + count - under_way
        return self._go(lambda begins: begins == core and chip.begun[core] >= target, core)

    def next(self) -> Stop:
        """As `step`, but a loop that the core in focus has just entered is run as a whole."""
        sequencer = self.chip.cores[self.focus].state.sequencer
        places = loop_places(self.chip.section(self.focus), sequencer.pc, sequencer.counters)
        loop = entered(places, sequencer.pc)
        return self.step() if loop is None else self._leave(places.index(loop))

    def leave(self) -> Stop:
        """Run until the core in focus has left the innermost loop around it; raises InputError if there is none."""
        depth = len(self.chip.cores[self.focus].state.sequencer.counters)
        if not depth:
            raise InputError(f"core {self.focus} stands in no loop: use step or continue")
        return self._leave(depth - 1)

    def _leave(self, depth: int) -> Stop:
        """Run until the core in focus is about to begin something outside of the loop at `depth` around it."""
        chip, core, sample = self.chip, self.focus, self.chip.sample
        sequencer = chip.cores[core].state.sequencer
        loop = loop_places(chip.section(core), sequencer.pc, sequencer.counters)[depth]
        outer = list(sequencer.counters[:depth])

        def left(begins: int | None) -> bool:
            if begins != core:
                return False
            inside = loop.index < sequencer.pc < loop.end and sequencer.counters[:depth] == outer
            return chip.sample != sample or not inside

        return self._go(left, core)

    def proceed(self) -> Stop:
        """Run until a breakpoint holds, or to the end."""
        return self._go(lambda begins: False)

    def until(self, conditions: tuple[Condition, ...]) -> Stop:
        """Run until some core is about to begin an instruction where all conditions hold, or a breakpoint does."""
        place = Breakpoint(conditions)
        return self._go(lambda begins: begins is not None and place.holds(self.chip, begins))

    def to_sample(self, sample: int) -> Stop:
        """Run to the begin of a sample, or go back to it; raises InputError if there is no such sample."""
        chip = self.chip
        if not 0 <= sample < chip.subject.samples:
            raise InputError(f"there is no sample {sample}: the samples are 0 to {chip.subject.samples - 1}")
        if sample <= chip.sample:
            there = self._restore(lambda moment: moment.sample < sample, lambda begins: chip.sample == sample)
            return self._stand(StandstillReason.SAMPLE if there else StandstillReason.INTERRUPT, self.focus)
        return self._go(lambda begins: False, sample=sample)

    def back(self, count: int = 1) -> Stop:
        """Return to before the last `count` instructions that the core in focus has begun; to its first one at most.

        Raises InputError if it has begun none.
        """
        chip, core = self.chip, self.focus
        if not chip.begun[core]:
            raise InputError(f"core {core} has begun no instruction yet: there is nothing to go back to")
        target = max(chip.begun[core] - count, 0)
        there = self._restore(
            lambda moment: moment.begun[core] <= target,
            lambda begins: begins == core and chip.begun[core] == target,
        )
        return self._stand(StandstillReason.BACK if there else StandstillReason.INTERRUPT, core)

    def back_to_stop(self) -> Stop:
        """Return to the stop before this one; raises InputError if there is none."""
        if not self.history:
            raise InputError("there is no earlier stop to go back to")
        stop = self.history[-1]
        there = self._restore(lambda moment: moment.turns <= stop.turns, lambda begins: self.chip.turns == stop.turns)
        self._stand(stop.why if there else StandstillReason.INTERRUPT, stop.core)
        if there:
            self.stop = stop
        return self.stop

    def _go(self, reached: Reached, core: int | None = None, sample: int | None = None) -> Stop:
        """Take turns until something stops them. `core`: its halt stops them, too; `sample`: so does its begin."""
        chip, scheduler = self.chip, self.chip.scheduler
        if chip.ending is not None:
            return self._stand(StandstillReason.END, self.focus)
        self.history.append(self.stop)
        was_running = core is not None and core in scheduler.running
        while True:
            begins = chip.about_to_begin()
            if begins is not None and (begins, chip.begun[begins]) != self._looked_at:
                numbers = tuple(n for n, point in self.breakpoints.items() if point.holds(chip, begins))
                if numbers or reached(begins):
                    return self._stand(
                        StandstillReason.BREAK if numbers or core is None else StandstillReason.STEP, begins, numbers
                    )
            if begins is not None:
                self._looked_at = None
            traps, before = len(scheduler.traps), chip.sample
            chip.advance()
            self._save_if_due()
            if chip.ending is not None:
                return self._stand(StandstillReason.END, self._culprit())
            if len(scheduler.traps) > traps:
                return self._stand(StandstillReason.TRAP, scheduler.traps[traps].core)
            if chip.sample != before and chip.sample == sample:
                return self._stand(StandstillReason.SAMPLE, self.focus)
            if chip.sample != before:
                was_running = core is not None
            elif was_running and core not in scheduler.running:
                return self._stand(StandstillReason.HALTED, self.focus)
            if self._interrupted():
                return self._stand(StandstillReason.INTERRUPT, self.focus)

    def _culprit(self) -> int:
        """The core that an ending is about, if it is about one."""
        ending = self.chip.ending
        if ending is not None and ending.traps:
            return ending.traps[0].core
        if ending is not None and ending.report is not None:
            return ending.report.edges[0].core
        return self.focus

    def _stand(self, why: StandstillReason, core: int, numbers: tuple[int, ...] = ()) -> Stop:
        chip = self.chip
        begins = (
            chip.about_to_begin()
            if why in (StandstillReason.BREAK, StandstillReason.STEP, StandstillReason.BACK)
            else None
        )
        self._looked_at = None if begins is None else (begins, chip.begun[begins])
        trap = chip.scheduler.traps[-1] if why is StandstillReason.TRAP else None
        self.stop = Stop(why, chip.turns, core, numbers, trap, chip.ending)
        return self.stop

    def _save_if_due(self) -> None:
        if self._timeline.is_due(self.chip.turns) and self.chip.ending is None:
            self._timeline.add(self.chip.save())

    def _restore(self, fits: Callable[[Moment], bool], reached: Reached) -> bool:
        """Put the chip back to the last saved moment that `fits`, and run it on; whether it has `reached`."""
        chip = self.chip
        chip.restore(self._timeline.latest(fits))
        while not (there := reached(chip.about_to_begin())) and not self._interrupted():
            chip.advance()
        self.history = [stop for stop in self.history if stop.turns < chip.turns]
        return there

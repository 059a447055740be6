"""The engine `batch`: like `step`, but a loop nest runs as array operations where that is proved to be the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from emu.core.batch.access import Unplannable
from emu.core.batch.arena import Arena
from emu.core.batch.nest import Counters, used
from emu.core.batch.plan import NestPlan
from emu.core.batch.planner import foresee, make_plan
from emu.core.batch.settled import Noted
from emu.core.batch.sites import Key, NestSite, Single, SingleSite
from emu.core.batch.tape import Tape
from emu.core.batch.units import make_units
from emu.core.kernels.spec import bound
from emu.core.operation import Operation
from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.requests import make_request
from emu.core.state import CoreState
from emu.core.step import step_one
from emu.operands.loop_tree import Item, Loop

MAX_PLANS = 4096  # kept per core; further ones are built again each time
MAX_SINGLES = 16384  # prepared single instructions kept per core
HOPELESS = 8  # failures in a row, without a success ever, after which a loop is not tried again


class BatchEngine:
    """Runs to the next request, to `state.pause_at`, or to the end."""

    def __init__(self, state: CoreState) -> None:
        self.state, self._arena = state, Arena()
        self._loops: dict[tuple[str, int], list[NestSite]] = {}  # a loop without sites is stepped
        self._singles: dict[tuple[str, int], SingleSite] = {}
        self._stepped: set[tuple[str, int]] = set()  # loops that were stepped, or may only be
        self._plans = self._prepared = 0
        self._epoch = 0
        self._tape: Tape | None = None  # made when it is first needed
        self._rolling: Tape | None = None  # the tape, in samples that it notes or plays
        # Functions, not methods of this object, which would keep itself alive.
        self._run_nest: Callable[[BatchEngine, NestSite], bool] = BatchEngine._nest
        self._run_single: Callable[[BatchEngine, Operation], None] = BatchEngine._single

    def watch(self, tell: Callable[[int], None]) -> None:
        """From now on tell the index of every nest and of every single instruction with a kernel before it runs."""

        def say(engine: BatchEngine, index: int) -> None:
            tell(index)
            if engine._rolling is not None:
                engine._rolling.note(Noted([partial(tell, index)], (), (), pure=False))

        def run_nest(engine: BatchEngine, site: NestSite) -> bool:
            say(engine, engine.state.sequencer.pc)
            return engine._nest(site)

        def run_single(engine: BatchEngine, op: Operation) -> None:
            say(engine, op.index)
            engine._single(op)

        self._run_nest, self._run_single = run_nest, run_single
        self._tape = self._rolling = None  # nobody is told of what was noted before

    def prepare(self) -> None:
        """Look at both sections as far as data, registers and outer loops do not matter."""
        state = self.state
        for name in ("init", "main"):
            state.position.section = name
            self._prepare(state.sequencer.tree)

    def _prepare(self, items: Sequence[Item]) -> None:
        for item in items:
            if not isinstance(item, Loop):
                for index in range(item.first, item.last):
                    self.state.operation(index)
                continue
            sites = self._sites(item)
            for site in sites:
                foresee(site.unit, self.state.memory.size)
            if not sites:
                self._prepare(item.body)

    def begin(self) -> None:
        """A section starts: definedness has to be established again, unless it is the same for every sample."""
        state = self.state
        if not state.trusted:
            self._epoch += 1
        self._rolling = None
        if state.trusted and state.position.section == "main":
            self._rolling = self._tape = self._tape or Tape(state)
            self._tape.begin()

    def halted(self) -> None:
        """A section is over. One complete sample establishes definedness for all, if no address depends on data."""
        state = self.state
        if state.position.section == "main" and not state.loads_addresses:
            state.trusted = True

    def advance(self) -> Request | Progress:
        """Run until something is needed; raises Fault."""
        tape = self._rolling
        step = None if tape is None else tape.play()
        if step is None:
            with np.errstate(all="ignore"):
                step = self._advance()
            if tape is not None:
                tape.end(step)
        return step

    def _advance(self) -> Request | Progress:
        state, sequencer = self.state, self.state.sequencer
        while not state.paused:
            if sequencer.at_loop:
                self._loop()
                continue
            if sequencer.at_end:
                return Progress.HALTED
            op = state.operation(sequencer.pc)
            if op.instr.spec.ask is not None:
                return make_request(state, op)
            if op.kernel is None:
                if op.scalar is not None and self._rolling is not None:
                    self._rolling.spoil()
                if step_one(state, op) is Progress.HALTED:
                    return Progress.HALTED
                continue
            self._run_single(self, op)
            sequencer.next()
        return Progress.RUNNING

    def _key(self, counters: Counters, registers: tuple[int, ...]) -> Key:
        """What the addresses depend on: rings of rows need one plan per position in the ring, not per row."""
        around, values = self.state.sequencer.counters, self.state.registers
        places = [around[level] % period if period else around[level] for level, period in counters]
        return tuple(places), tuple([values[k] for k in registers])

    def _sites(self, loop: Loop) -> list[NestSite]:
        """The nests of a loop."""
        where = (self.state.position.section, loop.index)
        sites = self._loops.get(where)
        if sites is None:
            sites = self._loops[where] = [NestSite(unit) for unit in make_units(self.state, loop)]
        return sites

    def _loop(self) -> None:
        sequencer = self.state.sequencer
        loop = sequencer.loops.get(sequencer.pc)
        if loop is None:
            sequencer.skip()
            return
        sites = self._sites(loop)
        for site in sites:
            if not self._run_nest(self, site):
                self._step_loop(loop)
                sequencer.enter(site.unit.template.nest.start)
                return
        if sites:
            sequencer.skip()
            return
        self._step_loop(loop)
        sequencer.enter()

    def _step_loop(self, loop: Loop) -> None:
        """Count a loop that is stepped; report it the first time, unless it has requests and so must be stepped."""
        state = self.state
        state.statistics.unplanned += 1
        where = state.position.section, loop.index
        if where in self._stepped:
            return
        self._stepped.add(where)
        if not loop.marked:
            state.statistics.one_more_loop()

    def _nest(self, site: NestSite) -> bool:
        """Run one nest as a plan; False, with nothing changed, if it has to be stepped."""
        if not site.unit.ready:
            return False
        state, plan = self.state, self._plan(site)
        if plan is None or not plan.run(state.memory, state.statistics, self._epoch):
            return False
        for number, value in plan.registers:
            state.registers[number] = value
        if self._rolling is not None:
            self._rolling.note(plan.noted)
        return True

    def _plan(self, site: NestSite) -> NestPlan | None:
        nest = site.unit.template.nest
        if site.failures >= HOPELESS:
            return None
        key = self._key(nest.counters, nest.registers)
        if key in site.plans:
            return site.plans[key]
        state = self.state
        try:
            plan = make_plan(site.unit, state.sequencer.counters, state.registers, state.memory, self._arena)
        except Unplannable:
            plan = None
        else:
            state.statistics.plans += 1
            state.statistics.expanded += plan.blueprint.regions
            state.statistics.sequential += plan.blueprint.sequential
        site.failures = -1 if plan is not None or site.failures < 0 else site.failures + 1
        if self._plans < MAX_PLANS:
            self._plans += 1
            site.plans[key] = plan
        return plan

    def _single(self, op: Operation) -> None:
        state, where = self.state, (self.state.position.section, op.index)
        site = self._singles.get(where)
        if site is None:
            site = self._singles[where] = SingleSite(*(used([op]) if op.fixed is None else ((), ())))
        key = self._key(site.counters, site.registers)
        single = site.ready.get(key)
        if single is not None and single.epoch == self._epoch:
            state.statistics.stepped += 1
            single.call()
        else:
            views = state.execute(op)
            if single is not None:
                single.epoch = self._epoch
            elif op.kernel is not None:
                single = Single(bound(op.kernel, views), views, self._epoch)
                if self._prepared < MAX_SINGLES:
                    self._prepared += 1
                    site.ready[key] = single
        if self._rolling is not None and single is not None:
            self._rolling.note(self._noted(op, single))

    def _noted(self, op: Operation, single: Single) -> Noted:
        extents = [(slot, self.state.memory.extent(view)) for slot, view in zip(op.slots, single.views, strict=True)]
        reads, writes = [e for slot, e in extents if slot.read], [e for slot, e in extents if slot.write]
        return Noted(None if op.may_trap else [single.call], reads, writes, op.instr.spec.crossbar is None)

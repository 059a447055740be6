"""A chip in this process that is advanced turn by turn, and can be put back to where it stood before.

All cores run under the engine `step` and take turns as `RoundRobin` gives them. So every run with the same inputs takes
the same turns in the same order: a moment is named by the number of turns before it.
"""

from __future__ import annotations

from collections.abc import Mapping

from emu.check.check import check_left_over
from emu.check.verdict import Outcome
from emu.core.engines.core import Core
from emu.core.trap import INIT_SAMPLE
from emu.debug.ending import End, Ending
from emu.debug.moment import CoreMoment, Moment, restore_core, save_core
from emu.debug.subject import DebugSubject
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import ChipDeadlocked, ChipTrapped, RoundRobin
from emu.noc.memory.global_memory import GlobalMemory, Range, SampleMemories
from emu.noc.ports.port import FlowControl
from emu.program.program import Program
from emu.program.section import Instr, Section

STEP = "step"


class SteppedChip:
    """The chip. A core that is not at the end of its section stands on an instruction, never on a loop.

    `captures` are the buffers of this sample that are complete, by core and place in its program; `outputs` holds for
    every sample that is over the bytes of each tile of each output.
    """

    def __init__(self, subject: DebugSubject, flow: str = "rendezvous") -> None:
        self.subject = subject
        self.programs: Mapping[int, Program] = subject.programs
        self.turns = 0  # since power-on; the begin of a sample counts as one
        self.sample = INIT_SAMPLE
        self.begun = dict.fromkeys(subject.programs, 0)  # instructions since power-on
        self.last = dict.fromkeys(subject.programs, -1)  # instruction of the section that was begun last
        self.captures: dict[tuple[int, int], bytes] = {}
        self.outputs: list[list[bytes]] = []
        self.ending: Ending | None = None
        self.memories = SampleMemories(subject.global_size, subject.read_only)
        self.fabric = Fabric(FlowControl.parse(flow), self.memories.of)
        self.cores = {
            core: Core(program, subject.arch, subject.weights[core], STEP) for core, program in self.programs.items()
        }
        self.scheduler = RoundRobin(self.cores, self.programs, self.fabric)
        self._completes = {core: _completes(program) for core, program in self.programs.items()}
        self._ranges: list[Range] = [(low, high - low) for spec in subject.outputs for low, high in spec.ranges]
        self._begin("init")

    @property
    def section_name(self) -> str:
        """The section that runs, "init" or "main"."""
        return "init" if self.sample == INIT_SAMPLE else "main"

    @property
    def memory(self) -> GlobalMemory | None:
        """Global memory of this sample; None in `init`."""
        return None if self.sample == INIT_SAMPLE else self.memories.of(self.sample)

    def section(self, core: int) -> Section:
        """The running section of `core`."""
        return self.cores[core].state.section

    def at_end(self, core: int) -> bool:
        """Whether `core` has no instruction left in this section."""
        return core not in self.scheduler.running or self.cores[core].state.sequencer.at_end

    def instr(self, core: int) -> Instr:
        """The instruction that `core`, which is not at the end, stands on."""
        return self.section(core).instr(self.cores[core].state.sequencer.pc)

    def about_to_begin(self) -> int | None:
        """The core that the next turn lets begin an instruction; None if that turn does something else."""
        core = self.scheduler.upcoming
        if core is None or self.scheduler.open_request(core) is not None:
            return None
        return None if self.cores[core].state.sequencer.at_end else core

    def advance(self) -> None:
        """The next turn; if there is none, the next sample or the end."""
        if self.ending is not None:
            return
        core, begins = self.scheduler.upcoming, self.about_to_begin()
        if core is None:
            self._end_section()
            return
        if begins is not None:
            self.begun[core] += 1
            self.last[core] = self.cores[core].state.sequencer.pc
        self.scheduler.turn()
        self._settle(core)
        self.turns += 1

    def _begin(self, section: str) -> None:
        self.captures = {}
        self.last = dict.fromkeys(self.programs, -1)
        self.scheduler.begin(section, self.sample)
        for core in self.cores:
            self._settle(core)

    def _settle(self, core: int) -> None:
        """Enter the loops that `core` stands before; take the buffers that are complete here."""
        sequencer = self.cores[core].state.sequencer
        while True:
            if self.sample != INIT_SAMPLE and not sequencer.depth:
                self._capture(core, sequencer.pc)
            if not sequencer.at_loop:
                return
            sequencer.enter()

    def _capture(self, core: int, index: int) -> None:
        for number in self._completes[core].get(index, ()):
            if (core, number) not in self.captures:
                buffer = self.programs[core].buffers[number]
                window = self.cores[core].memory.window(buffer.address, buffer.address + buffer.nbytes)
                self.captures[core, number] = bytes(window)

    def _end_section(self) -> None:
        """No core can go on: begin the next sample, unless there is none or something is wrong."""
        try:
            self.scheduler.finish()
        except ChipTrapped as trapped:
            records = sorted(trapped.records, key=lambda record: record.core)
            self.ending = Ending(End.TRAPPED, "; ".join(map(str, records)), tuple(records))
            return
        except ChipDeadlocked as deadlocked:
            self.ending = Ending(End.DEADLOCKED, str(deadlocked), report=deadlocked.report)
            return
        self.ending = self._end_sample() if self.sample != INIT_SAMPLE else None
        if self.ending is None and self.sample + 1 >= self.subject.samples:
            self.ending = Ending(End.FINISHED, "all samples are through")
        if self.ending is None:
            self._next_sample()

    def _end_sample(self) -> Ending | None:
        """Take the outputs; what is wrong with what the sample leaves."""
        if self.fabric.unsettled:
            left = check_left_over(self.programs, self.subject.arch)
            if left.outcome is Outcome.REFUTED:
                return Ending(End.LEFT_OVER, left.detail)
        memory = self.memories.of(self.sample)
        unwritten = memory.unwritten(self._ranges)
        if unwritten:
            address, size = unwritten[0]
            where = f"global address {address:#x} ({size} bytes)"
            return Ending(End.INCOMPLETE, f"sample {self.sample} is over and an output was never stored at {where}")
        if len(self.outputs) == self.sample:
            self.outputs.append(memory.collect(self._ranges))
        return None

    def _next_sample(self) -> None:
        self.memories.drop(self.sample)
        self.sample += 1
        memory = self.memories.open(self.sample)
        before = self.outputs[-1] if self.outputs else ()
        for address, content in self.subject.inputs(self.sample, before):
            memory.write(address, content)
        self.turns += 1
        self._begin("main")

    def save(self) -> Moment:
        """Where the chip stands, which has not ended."""
        memory = self.memory
        stored = [] if memory is None else _stored(memory)
        cores: dict[int, CoreMoment] = {number: save_core(core) for number, core in self.cores.items()}
        return Moment(
            self.turns,
            self.sample,
            dict(self.begun),
            dict(self.last),
            dict(self.captures),
            self.scheduler.save(),
            cores,
            stored,
        )

    def restore(self, moment: Moment) -> None:
        """Stand where `save` was called."""
        self.memories.drop(self.sample)
        self.turns, self.sample, self.ending = moment.turns, moment.sample, None
        self.begun, self.last, self.captures = dict(moment.begun), dict(moment.last), dict(moment.captures)
        del self.outputs[max(self.sample, 0) :]
        if self.sample != INIT_SAMPLE:
            memory = self.memories.open(self.sample)
            for address, content in moment.stored:
                memory.write(address, content)
        for number, core in self.cores.items():
            restore_core(core, self.section_name, self.sample, moment.cores[number])
            core.reopen(moment.scheduler.pending.get(number))
        self.scheduler.restore(moment.scheduler)


def _stored(memory: GlobalMemory) -> list[tuple[int, bytes]]:
    """What was written to global memory: address and bytes."""
    edges = [0]
    for address, size in memory.unwritten([(0, memory.size)]):
        edges += [address, address + size]
    edges.append(memory.size)
    ranges = [(low, high - low) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high]
    return list(zip((low for low, _ in ranges), memory.collect(ranges), strict=True))


def _completes(program: Program) -> dict[int, list[int]]:
    """By index into `main`, the buffers that are complete there."""
    found: dict[int, list[int]] = {}
    for number, buffer in enumerate(program.buffers):
        found.setdefault(buffer.complete, []).append(number)
    return found

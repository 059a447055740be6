"""Cores in one process that go through their samples at their own pace, in random turns: delays without time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.core.trap import INIT_SAMPLE, CoreTrap
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import ChipDeadlocked, ChipTrapped, RoundRobin
from emu.noc.memory.global_memory import SampleMemories
from emu.noc.ports.port import PortFault

FAILED = None  # the outcome of samples that do not end


def make_cores(programs, engine="batch"):
    return {core.program.core: Core(core.program, programs.arch, [], engine) for core in programs.cores}


def in_order(programs, flow, inputs: Sequence[bytes]):
    """One sample after the other: what each leaves in global memory, and the error that ended the run, if any."""
    code = {core.program.core: core.program for core in programs.cores}
    memories = SampleMemories(programs.global_size)
    fabric = Fabric(flow, memories.of)
    scheduler = RoundRobin(make_cores(programs), code, fabric)
    left = []
    try:
        scheduler.run("init", INIT_SAMPLE)
        for sample, content in enumerate(inputs):
            memory = memories.open(sample)
            memory.write(0, content)
            scheduler.run("main", sample)
            left.append(memory.collect([(0, programs.global_size)])[0])
    except (ChipTrapped, ChipDeadlocked) as error:
        return left, error
    return left, None


class Interleaved:
    """All samples are there from the beginning; how often a core gets a turn is drawn for each."""

    def __init__(self, programs, flow, inputs: Sequence[bytes], seed: int) -> None:
        self._random = Random(seed)
        self._cores: Mapping[int, Core] = make_cores(programs)
        self._memories = SampleMemories(programs.global_size)
        self._fabric = Fabric(flow, self._memories.of)
        self._ports = {core: self._fabric.port(core, machine.events) for core, machine in self._cores.items()}
        self._paces = [self._random.choice([1, 1, 3, 20]) for _ in self._cores]
        self._pending = {}
        self._samples = len(inputs)
        self._memory = [self._memories.open(sample) for sample in range(len(inputs))]
        for memory, content in zip(self._memory, inputs, strict=True):
            memory.write(0, content)

    def run(self):
        """What each sample leaves in global memory; FAILED if some core cannot go on."""
        if not (self._advance(INIT_SAMPLE, INIT_SAMPLE + 1) and self._advance(0, self._samples)):
            return FAILED
        return [memory.collect([(0, memory.size)])[0] for memory in self._memory]

    def _advance(self, first: int, end: int) -> bool:
        """Run samples `first` to `end` of all cores, each at its own pace; whether all come to the end."""
        at = dict.fromkeys(self._cores, first)
        for machine in self._cores.values():
            machine.begin("main" if first >= 0 else "init", max(first, 0))
        cores, idle = list(self._cores), set()
        while running := [core for core in cores if at[core] < end]:
            if len(idle) == len(running):
                return False
            core = self._random.choices(cores, self._paces)[0]
            if at[core] >= end or core in idle:
                continue
            try:
                moved, halted = self._turn(core, at[core])
            except (CoreTrap, PortFault):
                return False
            if halted:
                self._fabric.events[core].end(at[core])
                at[core] += 1
                if at[core] < end:
                    self._cores[core].begin("main", at[core])
            idle = set() if moved else idle | {core}
        return True

    def _turn(self, core: int, sample: int) -> tuple[bool, bool]:
        """(whether anything happened, whether the core has ended its sample)."""
        machine, port = self._cores[core], self._ports[core]
        request = self._pending.pop(core, None)
        if request is None:
            request = machine.advance()
            if isinstance(request, Progress):
                return True, request is Progress.HALTED
            complete = port.start(request, sample)
        else:
            complete = port.poll()
            if not complete:
                self._pending[core] = request
                return False, False
        if complete:
            machine.complete(request)
        else:
            self._pending[core] = request
        return True, False

"""Checks a program set without data: each core alone, then the messages between them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from emu.arch import Arch
from emu.check.deadlock import Deadlocks
from emu.check.matching import check_matching
from emu.check.properties import CORE_PROPERTIES, CheckedChip, chip_properties
from emu.check.races import SharedAccesses, misplaced
from emu.check.verdict import PROVED, Finding, Outcome, PropertyResult, Report, Verdict
from emu.image.manifest import IMPORTED, ReadOnlySpec, TensorSpec
from emu.image.reader import Image
from emu.noc.ports.port import UNBOUNDED, FlowControl
from emu.operands.timeline import TooMuch
from emu.program.program import Program
from emu.replay.abstract_run import AbstractRun, InitState
from emu.replay.core_view import CoreView
from emu.replay.global_accesses import GlobalAccesses, core_globals, gather
from emu.replay.traces import Conversation, ExchangeTrace, core_traces

MAX_MESSAGES = 16_000_000  # of all cores
_RANK = {Outcome.REFUTED: 0, Outcome.UNPROVED: 1, Outcome.PROVED: 2}


class _Programs(Mapping[int, Program]):
    """The programs of an image, read when asked for."""

    def __init__(self, image: Image) -> None:
        self._image = image

    def __getitem__(self, core: int) -> Program:
        return self._image.program(core)

    def __iter__(self) -> Iterator[int]:
        return iter(self._image.cores)

    def __len__(self) -> int:
        return len(self._image.cores)


def check(image: Image, flow: FlowControl | None = None) -> Report:
    """Every property of the programs of an image, for one flow or (None) for all; raises ProgramError."""
    m = image.manifest
    in_place = IMPORTED in m.options
    return check_programs(_Programs(image), image.arch, m.inputs, m.outputs, m.global_size, flow, m.read_only, in_place)


def check_programs(
    programs: Mapping[int, Program],
    arch: Arch,
    inputs: Sequence[TensorSpec] = (),
    outputs: Sequence[TensorSpec] = (),
    global_size: int | None = None,
    flow: FlowControl | None = None,
    read_only: Sequence[ReadOnlySpec] = (),
    in_place: bool = False,
) -> Report:
    """Every property of validated programs by core; `global_size` bytes of global memory are in use.

    `in_place`: inputs are the first content of global memory, which may be overwritten once it has been loaded.
    """
    began = time.perf_counter()
    size = arch.global_memory.size if global_size is None else min(global_size, arch.global_memory.size)
    arch = replace(arch, global_memory=replace(arch.global_memory, size=size))
    cores = _Cores()
    for core in sorted(programs):
        cores.look(CoreView(programs[core], arch))
    verdicts = cores.verdicts()
    if cores.reason:
        verdicts += [Verdict(p.key, p.title, PropertyResult.unproved(cores.reason)) for p in chip_properties(flow)]
    else:
        talk = Conversation(cores.traces, programs)
        read, written = (
            [(begin, end, spec.name) for spec in specs for begin, end in spec.ranges] for specs in (inputs, outputs)
        )
        accesses, events = gather(cores.globals), _events(talk)
        memory = SharedAccesses(talk, accesses, cores.misplaced, read, written, read_only, events, arch, flow, in_place)
        chip = CheckedChip(talk, memory, Deadlocks(talk), flow)
        verdicts += [Verdict(p.key, p.title, p.decide(chip)) for p in chip_properties(flow)]
    return Report(tuple(verdicts), len(programs), time.perf_counter() - began)


def check_left_over(programs: Mapping[int, Program], arch: Arch) -> PropertyResult:
    """Only whether sends and receives, syncs and waits match, of validated programs by core."""
    traces: dict[str, dict[int, ExchangeTrace]] = {"init": {}, "main": {}}
    try:
        for core in sorted(programs):
            for section, trace in core_traces(CoreView(programs[core], arch)).items():
                traces[section][core] = trace
    except TooMuch as much:
        return PropertyResult.unproved(str(much))
    return check_matching(Conversation(traces, programs))


class _Cores:
    """Results of the cores looked at so far, and what is kept of each for the chip."""

    def __init__(self) -> None:
        self._results: dict[str, list[PropertyResult]] = {entry.key: [] for entry in CORE_PROPERTIES}
        self.traces: dict[str, dict[int, ExchangeTrace]] = {"init": {}, "main": {}}
        self.globals: list[GlobalAccesses] = []
        self.misplaced: Finding | None = None
        self._messages = 0
        self.reason = ""  # why the chip cannot be checked

    def look(self, core: CoreView) -> None:
        """Check one core."""
        for entry in CORE_PROPERTIES:
            self._results[entry.key].append(entry.decide(core))
        if self.reason:
            return
        try:
            traces = core_traces(core)
            self.globals.append(core_globals(core, traces["main"]))
            self.misplaced = self.misplaced or misplaced(core)
        except TooMuch as much:
            self.reason = str(much)
            return
        self._messages += sum(map(len, traces.values()))
        if self._messages > MAX_MESSAGES:
            self.reason = f"more than {MAX_MESSAGES} messages of all cores"
            self.traces = {"init": {}, "main": {}}
        for section, trace in traces.items():
            self.traces[section][core.program.core] = trace

    def verdicts(self) -> list[Verdict]:
        """The worst result of each property, the first one of its kind."""
        return [self._verdict(entry.key, entry.title) for entry in CORE_PROPERTIES]

    def _verdict(self, key: str, title: str) -> Verdict:
        results = self._results[key]
        worst = min(results, key=lambda result: _RANK[result.outcome], default=PROVED)
        if worst.outcome is Outcome.PROVED:
            return Verdict(key, title, PROVED)
        return Verdict(key, title, worst, sum(result.outcome is worst.outcome for result in results) - 1)


def _events(talk: Conversation) -> dict[tuple[int, int], int]:
    """The event registers that `init` leaves behind."""
    state = InitState()
    AbstractRun(talk.traces["init"], UNBOUNDED, state).run()
    return state.events

"""Runs one core with a scripted outside and records everything that can be seen of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from emu.arch import Arch
from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.core.request import Capture, Load, Recv, Request, Send, Store, Sync
from emu.core.statistics import Statistics
from emu.core.trap import CoreTrap, TrapRecord
from emu.program.program import Program

MOVES = ("vmv", "vscatter", "lmv", "vsel")


@dataclass
class Trace:
    """What a run did, sample by sample.

    `nan`: a float instruction met a NaN (whose bits are unspecified), `before` which there were so many requests and
    states.
    """

    requests: list[tuple] = field(default_factory=list)
    states: list[tuple] = field(default_factory=list)
    trap: TrapRecord | None = None
    nan: bool = False
    before: tuple[int, int] = (0, 0)
    statistics: Statistics = field(default_factory=Statistics)


def answer(request: Request, number: int) -> tuple:
    """Fulfil `request` with bytes that depend on its number only; what is to be compared of it."""
    if isinstance(request, Recv | Load):
        request.into[:] = bytes((7 * number + 3 * k) % 61 for k in range(len(request.into)))
        if len(request.into) == 4 and isinstance(request, Load):
            request.into[:] = (number % 5 * 4).to_bytes(4, "little")
    match request:
        case Send(peer, data):
            return "send", peer, bytes(data)
        case Recv(peer, into):
            return "recv", peer, len(into)
        case Load(address, into):
            return "load", address, len(into)
        case Store(address, data):
            return "store", address, bytes(data)
        case Capture(buffer, data):
            return "capture", buffer, bytes(data)
        case Sync(peer, event):
            return "sync", peer, event
        case _:
            return "wait", request.event, request.value


def run(
    program: Program,
    arch: Arch,
    weights: Sequence[np.ndarray],
    engine: str,
    samples: int = 3,
    prepared: bool = False,
) -> Trace:
    """Run `init` and `samples` samples of `main`, up to a trap; `prepared`: look at the program first."""
    core = Core(program, arch, weights, engine, range(len(program.buffers)))
    trace = Trace(statistics=core.statistics)
    if prepared:
        core.prepare()
    if engine == "step":
        _watch_nan(core, trace)
    try:
        for section, sample in [("init", 0), *(("main", k) for k in range(samples))]:
            core.begin(section, sample)
            run_section(core, trace)
            trace.states.append(snapshot(core))
    except CoreTrap as trap:
        trace.trap = trap.record
        trace.states.append(snapshot(core)[: 4 if trap.record.sample == 0 else 3])
    return trace


def run_section(core: Core, trace: Trace) -> None:
    """Run the section begun last to its end."""
    while (result := core.advance()) is not Progress.HALTED:
        if isinstance(result, Request):
            trace.requests.append((core.position(), *answer(result, len(trace.requests))))
            core.complete(result)


def snapshot(core: Core) -> tuple:
    """Bytes, registers, and (meaningful at the end of a sample, or in the first one) definedness."""
    memory = core.memory
    return memory.data.tobytes(), tuple(core.registers), memory.defined.tobytes(), memory.top


def _watch_nan(core: Core, trace: Trace) -> None:
    state = core.state
    execute = state.execute

    def watching(op) -> None:
        if op.kernel is not None and op.instr.spec.name not in MOVES and not trace.nan:
            try:
                views = state.views(op, state.addresses(op))
                trace.nan = any(view.dtype.kind == "f" and bool(np.isnan(view).any()) for view in views)
                trace.before = len(trace.requests), len(trace.states)
            except Exception:
                trace.nan = trace.nan
        execute(op)

    state.execute = watching

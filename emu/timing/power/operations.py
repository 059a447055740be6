"""The operations of all samples of `main` by core, and when each has its unit: by the fast executor or by the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from emu.program.nesting import operations
from emu.timing.basis.log import Log, OperationPhase
from emu.timing.basis.refused import TimingRefused
from emu.timing.basis.result import Timing
from emu.timing.executor.step import step
from emu.timing.fast.effort import Effort
from emu.timing.fast.fast import Fast
from emu.timing.fast.pipeline import Pipeline
from emu.timing.model.costs import WHOLE
from emu.timing.power.record import Record, Repeated
from emu.timing.setup import Setup

KEPT = 1 << 22  # operations that are walked one by one, of all cores and samples
LOGGED = 200_000  # operations that are walked by the executor that defines
Operations = Mapping[int, Sequence[Repeated]]  # by core


def operations_of(setup: Setup, samples: int) -> tuple[Timing, Operations]:
    """The times of so many samples, and the operations of `main`; raises TimingRefused for too many of them."""
    if setup.port_queues:
        return logged(setup, samples)
    found: dict[int, Record] = {}

    def observe(section: str, core: int, pipeline: Pipeline) -> Record | None:
        return found.setdefault(core, Record()) if section == "main" else None

    why = f"no peak power: more than {KEPT} operations would have to be followed one by one: ask for fewer samples"
    timing = Fast(setup).run(samples, observe, Effort(KEPT, why, kept=True))
    return timing, {core: record.parts() for core, record in found.items()}


def logged(setup: Setup, samples: int) -> tuple[Timing, Operations]:
    """By the log of the executor that defines."""
    views = [entry.sections["main"].view.section for entry in setup.cores.values()]
    count = samples * sum(int(operations(view).sum()) for view in views)
    if count > LOGGED:
        raise TimingRefused(
            f"no peak power: operations in flight wait for ports of local memory, and {count} operations are more than"
            f" the {LOGGED} that are followed one by one: ask for fewer samples, or take a chip without"
            " timing.local_ports, or with timing.window = 1"
        )
    timing = step(setup, samples, log=True)
    log = timing.log
    assert log is not None  # it was asked for
    start, read, finished = (
        _last(log, phases)
        for phases in ((OperationPhase.START,), (OperationPhase.START, OperationPhase.READ), (OperationPhase.FINISHED,))
    )
    core, instruction, interval = log.core[start], log.instruction[start], np.zeros(len(start), np.int64)
    for number, entry in setup.cores.items():
        mine = core == number
        interval[mine] = entry.sections["main"].costs.interval[instruction[mine]]
    free = np.where(interval == WHOLE, log.time[finished], log.time[read] + interval)
    table = np.stack([log.time[start], free, instruction], axis=1)
    return timing, {number: _parts_of(table[core == number]) for number in setup.cores}


def _last(log: Log, phases: Sequence[OperationPhase]) -> np.ndarray:
    """The last moment of any of these phases of each operation of `main`, by core, sample and operation."""
    rows = np.flatnonzero(np.isin(log.phase, phases) & (log.section == 1))
    rows = rows[np.lexsort((log.phase[rows], log.operation[rows], log.sample[rows], log.core[rows]))]
    last = np.ones(len(rows), np.bool_)
    last[:-1] = log.phase[rows][1:] == phases[0]
    return rows[last]


def _parts_of(table: np.ndarray) -> list[Repeated]:
    return [Repeated(table)] if len(table) else []

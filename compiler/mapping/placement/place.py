"""Cores of computes: those with weights are shared out among the cores, the others stand where their operands are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from compiler.mapping.placement.work import ComputeRow, consumers
from compiler.mapping.solver import least_loaded
from compiler.mapping.work import Work
from emu.errors import CompileError, option
from emu.wording import counted

NO_LOAD: Mapping[int, int] = {}


def place(table: Sequence[ComputeRow], cores: int, room: int) -> list[int]:
    """The core of every row of `table`, in [0, cores); a core holds `room` logical crossbars.

    What has a core keeps it. What has weights, one cluster or one compute at a time, gets a core of its own while
    there are enough, else the core with the least work that has room. What has none goes where most bytes of those
    operands are that come from the latest product: a core that held an older one, such as a residual, until then could
    not begin the next sample meanwhile. If it has no operands but inputs, it goes to a core with nothing to do, else
    where most bytes of its results go, else to the core with the least to do. What would write to crossbars goes
    elsewhere if these cores have none left for it. Raises CompileError if weights find no room.
    """
    given = {number: row.core for number, row in enumerate(table) if row.core is not None}
    chosen = dict(given)
    for rows, core in _share_out(table, given, cores, room):
        chosen.update(dict.fromkeys(rows, core))
    load = Counter(core for row, core in chosen.items() if table[row].work.crossbars)
    users, stages = consumers(table), _stages(table)
    held = Counter[int]()
    for row, core in chosen.items():
        held[core] += table[row].work.crossbars
    free = Counter({core: room - held[core] for core in range(cores)})
    for row, work in enumerate(table):
        if row not in chosen:
            if any(maker >= 0 for maker, _ in work.operands):
                chosen[row] = core = _with_room(_nearest(work, chosen, stages), work, free, load)
                free[core] -= min(work.wanted, free[core])
                continue
            idle = min(range(cores), key=lambda core: (load[core], core))
            placed = [(user, nbytes) for user, nbytes in users[row] if user in chosen] if load[idle] else []
            near = _most_bytes(placed, chosen, load) if placed else idle
            chosen[row] = core = _with_room(near, work, free, load)
            free[core] -= min(work.wanted, free[core])
            load[core] += 1
    return [chosen[row] for row in range(len(table))]


def _share_out(
    table: Sequence[ComputeRow], given: dict[int, int], cores: int, room: int
) -> Iterable[tuple[list[int], int]]:
    """Rows that stand together, and their core; rows of `given` are placed already."""
    units: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number, row in enumerate(table):
        if row.cluster is not None:
            units["cluster", row.cluster].append(number)
        elif row.work.crossbars:
            units["row", number].append(number)
    taken = defaultdict[int, Work](Work)
    for number, core in given.items():
        taken[core] += table[number].work
    open_units: list[tuple[Work, list[int]]] = []
    for rows in units.values():
        fixed = [given[row] for row in rows if row in given]
        rest = [row for row in rows if row not in given]
        work = sum((table[row].work for row in rest), start=Work())
        if fixed and rest:  # beside those of the cluster that have a core
            taken[fixed[0]] += work
            yield rest, fixed[0]
        elif rest:
            open_units.append((work, rest))
    unused = [core for core in range(cores) if core not in set(given.values())]
    if len(open_units) <= len(unused) and all(work.crossbars <= room for work, _ in open_units):
        yield from zip((rows for _, rows in open_units), unused, strict=False)
        return
    open_units.sort(key=lambda unit: (-unit[0].crossbars, -unit[0].products))
    found = least_loaded(
        (work for work, _ in open_units),
        [room - taken[core].crossbars for core in range(cores)],
        [taken[core].products for core in range(cores)],
    )
    for (work, rows), core in zip(open_units, found, strict=True):
        if core is None:
            node = table[rows[0]].compute.node.data
            raise CompileError(
                f"node {node} needs {counted(work.crossbars, 'crossbar')} on one core, but none of"
                f" {counted(cores, 'core')} has so many left: use more {option('cores')}",
                node,
            )
        yield rows, core


def _with_room(near: int, work: ComputeRow, free: Mapping[int, int], load: Mapping[int, int]) -> int:
    """The core `near`, or the one with most crossbars left and least to do, if `near` lacks what it would write to."""
    most = max(free, key=lambda core: (free[core], -load.get(core, 0), -core)) if work.wanted else near
    for need in (work.wanted, work.least):
        for core in (near, most):
            if free[core] >= need:
                return core
    return near


def _stages(table: Sequence[ComputeRow]) -> list[int]:
    """Per row, how many products follow each other up to it."""
    stages = list[int]()
    for row in table:
        before = max((stages[maker] for maker, _ in row.operands if maker >= 0), default=0)
        stages.append(before + (row.work.crossbars > 0))
    return stages


def _nearest(work: ComputeRow, chosen: dict[int, int], stages: Sequence[int]) -> int:
    """The core with most bytes of the operands of the last stage; of several, that of what was made last."""
    made = [operand for operand in work.operands if operand[0] >= 0]
    last = max(stages[maker] for maker, _ in made)
    return _most_bytes([(maker, nbytes) for maker, nbytes in made if stages[maker] == last], chosen)


def _most_bytes(rows: Sequence[tuple[int, int]], chosen: Mapping[int, int], load: Mapping[int, int] = NO_LOAD) -> int:
    """The core with most bytes of pairs (row, bytes); of several, that with the least `load`, then of the last row."""
    nbytes, last = Counter[int](), dict[int, int]()
    for row, size in rows:
        nbytes[chosen[row]] += size
        last[chosen[row]] = max(last.get(chosen[row], -1), row)
    return max(nbytes, key=lambda core: (nbytes[core], -load.get(core, 0), last[core]))

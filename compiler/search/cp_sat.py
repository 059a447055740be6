"""Places of cores on the mesh by OR-Tools' CP-SAT: distances are linear, so bounds are proved, too.

One worker with a limit of deterministic time gives the same answer wherever it runs.
"""

from __future__ import annotations

import numpy as np
from ortools.sat.python import cp_model  # pyright: ignore[reportMissingImports]  # an extra

from compiler.mapping.placement.mesh import Matrix, Order, Points, byte_hops, distances_of

EFFORT = 4.0  # of deterministic time, about a second each


def improved(weights: Matrix, points: Points, start: Order, seed: int, effort: float = EFFORT) -> Order:
    """The place of each core, an index of `points`: at least as good as `start`; the best there is if time allows.

    `weights` [cores, cores] are bytes between two cores; they cross |dx| + |dy| links.
    """
    if len(start) < 2 or not weights.any():
        return start
    model = cp_model.CpModel()
    width, height = (int(size) + 1 for size in points.max(axis=0))
    rows = [(*map(int, point), at) for at, point in enumerate(points)]
    across = [model.new_int_var(0, width - 1, "") for _ in start]
    down = [model.new_int_var(0, height - 1, "") for _ in start]
    place = [model.new_int_var(0, len(points) - 1, "") for _ in start]
    for *variables, at in zip(across, down, place, start.tolist(), strict=True):
        model.add_allowed_assignments(variables, rows)
        for variable, value in zip(variables, rows[at], strict=True):
            model.add_hint(variable, value)
    model.add_all_different(place)
    terms: list[cp_model.LinearExprT] = []
    unit = int(np.gcd.reduce(weights[weights > 0].astype(np.int64)))
    for one, other in zip(*np.nonzero(np.triu(weights)), strict=True):
        for axis, size, places in ((0, width, across), (1, height, down)):
            apart = model.new_int_var(0, size - 1, "")
            model.add(apart >= places[one] - places[other])
            model.add(apart >= places[other] - places[one])
            model.add_hint(apart, int(abs(points[start[one]][axis] - points[start[other]][axis])))
            terms.append(int(weights[one, other]) // unit * apart)
    model.minimize(sum(terms))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.interleave_search = True  # strategies take turns, local search among them
    solver.parameters.random_seed = seed % (1 << 31)
    solver.parameters.max_deterministic_time = effort
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return start
    found = np.array([solver.value(variable) for variable in place], np.int64)
    distances = distances_of(points)
    return min((start, found), key=lambda order: byte_hops(weights, distances, order))

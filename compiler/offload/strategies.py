"""Strategies of scheduling: as soon and as late as possible, those of installed packages, classes by import path."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from compiler.basis.by_path import by_path
from compiler.offload.schedule import Graph, Resources, Schedule, Strategy
from emu.errors import CompileError
from emu.wording import nearest

ENTRY_POINTS = "reram_emu.schedules"


class Asap:
    """As soon as possible: of those that are ready, those on which the longest chain hangs come first."""

    def schedule(self, graph: Graph, resources: Resources) -> Schedule:
        """Steps: what is dispatched at one is awaited at the next one."""
        steps = _steps(graph, resources)
        return Schedule(steps, [step + 1 for step in steps])


class Alap:
    """As late as possible: the same from the end."""

    def schedule(self, graph: Graph, resources: Resources) -> Schedule:
        """Steps: what is dispatched at one is awaited at the next one."""
        users = graph.users()
        steps = _steps(Graph(graph.crossbars, tuple(map(tuple, users))), resources)
        end = max(steps, default=0)
        return Schedule([end - step for step in steps], [end - step + 1 for step in steps])


SCHEDULES: Mapping[str, type[Strategy]] = {"asap": Asap, "alap": Alap}


def _steps(graph: Graph, resources: Resources) -> list[int]:
    """A step for each product, with room for all of one step."""
    users, heights = [dict.fromkeys(each) for each in graph.users()], _heights(graph)
    left, steps = [len(set(needs)) for needs in graph.needs], [0] * graph.products
    # Of those that are ready, by what they take: if one finds no room, others of its kind do not.
    ready = dict[object, list[tuple[int, int]]]()

    def done(number: int) -> None:
        for user in users[number]:
            left[user] -= 1
            if not left[user]:
                begin(user)

    def begin(number: int) -> None:
        if number < graph.products:
            heapq.heappush(ready.setdefault(resources.kind(number), []), (-heights[number], number))
        else:
            done(number)

    for number in [number for number, count in enumerate(left) if not count]:
        begin(number)
    step = 0
    while any(ready.values()):
        chosen = _chosen(ready, resources)
        for number in chosen:
            steps[number] = step
        for number in chosen:
            done(number)
        step += 1
    return steps


def _chosen(ready: dict[object, list[tuple[int, int]]], resources: Resources) -> list[int]:
    """Those of one step, which are taken out of `ready`."""
    room, chosen, full = resources.room(), list[tuple[int, int]](), set[object]()
    while open_kinds := [kind for kind, heap in ready.items() if heap and kind not in full]:
        kind = min(open_kinds, key=lambda kind: ready[kind][0])
        if room.take(ready[kind][0][1]):
            chosen.append(heapq.heappop(ready[kind]))
        else:
            full.add(kind)
    while True:  # they are dispatched in the order of their numbers, for which cores may have less room
        room = resources.room()
        if all(room.take(number) for number in sorted(number for _, number in chosen)):
            return [number for _, number in chosen]
        last = chosen.pop()
        heapq.heappush(ready[resources.kind(last[1])], last)


def _heights(graph: Graph) -> list[int]:
    """The longest chain of products that hangs on each."""
    users, heights = graph.users(), [0] * len(graph.needs)
    for number in reversed(graph.order()):
        heights[number] = int(number < graph.products) + max((heights[user] for user in users[number]), default=0)
    return heights


def strategy_of(name: str) -> Strategy:
    """A strategy by name: one of `SCHEDULES`, of an installed package, or a class by its import path.

    Raises CompileError for a name that nobody has, and for what cannot be made.
    """
    kind: object = SCHEDULES.get(name)
    if kind is None:
        kind = _imported(_path_of(name), name)
    try:
        made = kind()  # pyright: ignore[reportCallIssue]
    except Exception as error:  # of a class that is not ours
        raise CompileError(f"the schedule {name!r} cannot be made: {_said(error)}") from None
    if not callable(getattr(made, "schedule", None)):
        raise CompileError(f"the schedule {name!r} has no method `schedule`, of a graph and resources")
    return made


def _path_of(name: str) -> str:
    if ":" in name:
        return name
    from importlib.metadata import entry_points  # few need it

    installed = {entry.name: entry.value for entry in entry_points(group=ENTRY_POINTS)}
    if name not in installed:
        known = [*SCHEDULES, *installed]
        raise CompileError(
            f"there is no schedule {name!r}: use {', '.join(known)}, or the import path of a class, as in"
            f" package.module:Class{nearest(name, known)}"
        )
    return installed[name]


def _imported(path: str, name: str) -> object:
    try:
        return by_path(path)
    except Exception as error:  # of a module that is not ours
        raise CompileError(f"the schedule {name!r} cannot be imported: {_said(error)}") from None


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"

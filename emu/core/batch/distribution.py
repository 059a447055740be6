"""Allen-Kennedy distribution: vectorises statements in no cycle of dependences; cycles iterate the loop carrying them.

R. Allen and K. Kennedy, Automatic Translation of FORTRAN Programs to Vector Form, TOPLAS 9(4), 1987.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from emu.core.batch.dependence import Pair
from emu.core.batch.sums import Sums
from emu.graphs import sorted_components


@dataclass(frozen=True, slots=True)
class Iterate:
    """Run `body` once per iteration of `loop`, in order."""

    loop: int
    body: tuple[Node, ...]


Node = int | Iterate  # an int is the position of a statement: run over all its loops that are not iterated


@dataclass(slots=True)
class _Graph:
    """`follows[a]` must run after statement a; `carriers[a, b]` are the loops that carry it (empty: none)."""

    follows: dict[int, set[int]]
    carriers: dict[tuple[int, int], set[int]] = field(default_factory=dict)
    broken: int = -1  # a loop that has to be iterated first


def distribute(
    positions: Iterable[int], pairs: Sequence[Pair], sums: Sums, iterated: tuple[int, ...] = ()
) -> tuple[Node, ...]:
    """Statements in an order, with loops iterated, that keeps the dependences of `pairs`."""
    graph = _graph(positions, pairs, sums, iterated)
    return _order(graph, pairs, sums, iterated)


def _graph(positions: Iterable[int], pairs: Sequence[Pair], sums: Sums, iterated: tuple[int, ...]) -> _Graph:
    graph = _Graph({position: set() for position in positions})
    for a, b in pairs:
        for first, second in ((a, b), (b, a)) if a is not b else ((a, b),):
            dependence = sums.relation(first, second, iterated)
            if graph.broken < 0:
                graph.broken = dependence.broken
            same = first.position == second.position
            # An instruction reads before it writes: what it overwrites later needs no edge.
            if not (dependence.carried or dependence.independent) or (same and not first.shape.write):
                continue
            edge = (first.position, second.position)
            graph.follows[edge[0]].add(edge[1])
            graph.carriers.setdefault(edge, set()).update(dependence.carried)
    return graph


def _order(graph: _Graph, pairs: Sequence[Pair], sums: Sums, iterated: tuple[int, ...]) -> tuple[Node, ...]:
    components = list(sorted_components(graph.follows))
    number = {position: place for place, component in enumerate(components) for position in component}
    carriers = [set[int]() for _ in components]
    for (a, b), loops in graph.carriers.items():
        if number[a] == number[b]:
            carriers[number[a]] |= loops
    inside = [list[Pair]() for _ in components]
    for pair in pairs:
        if (place := number[pair[0].position]) == number[pair[1].position]:
            inside[place].append(pair)
    nodes: list[Node] = []
    for component, carried, within in zip(components, carriers, inside, strict=True):
        # Loop numbers grow inwards, and the outermost carrier of a cycle is around all of its statements.
        nodes.extend([_iterate(component, min(carried), within, sums, iterated)] if carried else component)
    return tuple(nodes)


def _iterate(
    component: Sequence[int], loop: int, inside: Sequence[Pair], sums: Sums, iterated: tuple[int, ...]
) -> Iterate:
    """`inside` are the pairs of statements of the component."""
    loops = [loop]
    while True:
        graph = _graph(component, inside, sums, (*iterated, *loops))
        if graph.broken < 0:
            break
        loops = sorted({*loops, graph.broken})
    body = _order(graph, inside, sums, (*iterated, *loops))
    for inner in reversed(loops[1:]):
        body = (Iterate(inner, body),)
    return Iterate(loops[0], body)

"""Better cuts by moving one node after the other: Fiduccia and Mattheyses (DAC 1982), for any number of domains.

Each node moves at most once in a pass, the one that gains most (or loses least) first, and the best state on the way is
kept. As in Kernighan and Lin's swaps a domain may hold one node too many meanwhile: the next move is then one out of
it. So full domains are no obstacle. Distances between domains count, as in Kernighan and Lin's (1970) weighted cuts.
"""

from __future__ import annotations

import numpy as np

from emu.noc.domains.graph import Flags, Floats, Graph, Numbers

PATIENCE = 64  # moves without a better state, and one in eight of the nodes, after which a pass ends
SMALLEST = 1e-9  # of the cost of a cut: less is no gain but the rounding of sums


def cost_of(graph: Graph, domains: Numbers, distances: Floats) -> float:
    """What crosses, each price times the `distances` [domains, domains] of the two ends."""
    ones = np.repeat(np.arange(len(graph)), np.diff(graph.starts))
    return float((graph.prices * distances[domains[ones], domains[graph.others]]).sum()) / 2


def fits(graph: Graph, domains: Numbers, room: Numbers) -> bool:
    """Whether no domain holds more than its `room` [domains, resources]."""
    return bool((used(graph, domains, len(room)) <= room).all())


def refined(graph: Graph, domains: Numbers, room: Numbers, distances: Floats, fixed: Flags) -> Numbers:
    """The domain of each node, from one that fits to one that fits and costs no more; nodes of `fixed` stay."""
    best, cost = domains, cost_of(graph, domains, distances)
    while len(room) > 1:
        found = _Pass(graph, best, room, distances, fixed).best()
        lower = cost_of(graph, found, distances)
        if lower >= cost - SMALLEST * cost:
            break
        best, cost = found, lower
    return best


def used(graph: Graph, domains: Numbers, count: int) -> Numbers:
    """What each domain holds: [domains, resources]."""
    used = np.zeros((count, graph.needs.shape[1]), np.int64)
    np.add.at(used, domains, graph.needs)
    return used


class _Pass:
    """One pass. `gains[n, d]`: by how much the cut gets cheaper if node n moves to domain d, all others staying."""

    def __init__(self, graph: Graph, domains: Numbers, room: Numbers, distances: Floats, fixed: Flags) -> None:
        self.graph, self.distances = graph, distances
        self.domains, self.free = domains.copy(), room - used(graph, domains, len(room))
        self.open = ~fixed
        ones = np.repeat(np.arange(len(graph)), np.diff(graph.starts))
        costs = np.zeros((len(graph), len(room)))
        np.add.at(costs, ones, graph.prices[:, None] * distances[domains[graph.others]])
        self.gains = costs[np.arange(len(graph)), domains][:, None] - costs

    def best(self) -> Numbers:
        """The cheapest state on the way in which every domain has room for what it holds."""
        best, gained, most, since = self.domains.copy(), 0.0, 0.0, 0
        for _ in range(int(self.open.sum())):
            move = self._next()
            if move is None:
                break
            gained += self._move(*move)
            since += 1
            if gained > most and (self.free >= 0).all():
                best, most, since = self.domains.copy(), gained, 0
            if since > PATIENCE + len(self.graph) // 8:
                break
        return best

    def _next(self) -> tuple[int, int] | None:
        """The node and its new domain that gain most; None if none may move.

        While a domain is too full only its nodes move, to where they fit; else also to one where one node is too many.
        """
        full = np.nonzero((self.free < 0).any(axis=1))[0]
        may = np.repeat(self.open[:, None], len(self.free), axis=1)
        may[np.arange(len(self.domains)), self.domains] = False
        if len(full):
            may &= (self.domains == full[0])[:, None]
            may &= (self.graph.needs[:, None, :] <= self.free).all(axis=2)
        gains = np.where(may, self.gains, -np.inf)
        node, domain = divmod(int(np.argmax(gains)), len(self.free))
        return (node, domain) if may[node, domain] else None

    def _move(self, node: int, domain: int) -> float:
        """Move for the rest of the pass; what is gained."""
        left, gain = self.domains[node], self.gains[node, domain]
        self.free[left] += self.graph.needs[node]
        self.free[domain] -= self.graph.needs[node]
        self.domains[node], self.open[node] = domain, False
        self.gains[node] -= gain
        others, prices = self.graph.neighbours(node)
        nearer = self.distances[left] - self.distances[domain]  # of what each domain pays for the node
        self.gains[others] += prices[:, None] * (nearer[None, :] - nearer[self.domains[others]][:, None])
        return float(gain)

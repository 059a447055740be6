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
    """One pass. `gains[n, d]`: by how much the cut gets cheaper if node n moves to domain d, all others staying.

    `tops[n]` is the most that an open node n gains anywhere. A move changes them for its neighbours alone, so the next
    one is found without a look at all nodes and domains.
    """

    def __init__(self, graph: Graph, domains: Numbers, room: Numbers, distances: Floats, fixed: Flags) -> None:
        self.graph, self.distances = graph, distances
        self.domains, self.free = domains.copy(), room - used(graph, domains, len(room))
        self.open = ~fixed
        nodes = np.arange(len(graph))
        ones, others = np.repeat(nodes, np.diff(graph.starts)), domains[graph.others]
        costs = [np.bincount(ones, graph.prices * way[others], len(graph)) for way in distances.T]
        costs = np.stack(costs, axis=1).astype(np.float64)  # integers if nothing is exchanged
        self.gains = costs[nodes, domains][:, None] - costs
        self.tops = np.full(len(graph), -np.inf)
        self._note(nodes)

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
        if not len(full):
            node = int(self.tops.argmax())
            gains = self.gains[node].copy()
            gains[self.domains[node]] = -np.inf
            return (node, int(gains.argmax())) if self.open[node] else None
        nodes = np.nonzero(self.open & (self.domains == full[0]))[0]
        may = (self.graph.needs[nodes, None, :] <= self.free).all(axis=2)
        if not may.any():
            return None
        place, domain = divmod(int(np.argmax(np.where(may, self.gains[nodes], -np.inf))), len(self.free))
        return int(nodes[place]), domain

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
        self._note(np.append(others, node))
        return float(gain)

    def _note(self, nodes: Numbers) -> None:
        """Look up the `tops` of some nodes."""
        gains = self.gains[nodes]
        gains[np.arange(len(nodes)), self.domains[nodes]] = -np.inf
        self.tops[nodes] = np.where(self.open[nodes], gains.max(axis=1), -np.inf)

"""The cheapest cut that is found: from several starts, each made better, never worse than blocks of neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from emu.errors import InputError
from emu.noc.domains.graph import Exchanged, Floats, Graph, Numbers
from emu.noc.domains.refine import cost_of, fits, refined, used
from emu.wording import counted

SEEDS = 4  # of METIS, whose cuts differ by some percent, and of the best cut disturbed
LEAST_SHARE = 2  # nodes at least for each domain that METIS is asked about
DISTURBED = 8  # one in so many nodes changes places with another
FINEST = 1_000_000  # steps in which METIS is told prices, which are whole numbers there: the highest is so many


@dataclass(frozen=True, slots=True)
class Cut:
    """The domain of each node, and what crosses: pairs of domains with messages and bytes in that direction."""

    domains: Mapping[int, int]
    crossing: Mapping[tuple[int, int], tuple[int, int]]

    @property
    def messages(self) -> int:
        """Messages that cross."""
        return sum(messages for messages, _ in self.crossing.values())

    @property
    def bytes(self) -> int:
        """Bytes that cross."""
        return sum(nbytes for _, nbytes in self.crossing.values())

    def members(self, domain: int) -> list[int]:
        """The nodes of a domain, in order."""
        return sorted(node for node, its in self.domains.items() if its == domain)


def cut_of(exchanged: Exchanged, domains: Mapping[int, int]) -> Cut:
    """The cut that puts each node into its domain."""
    crossing: dict[tuple[int, int], tuple[int, int]] = {}
    for (one, other), (messages, nbytes) in exchanged.items():
        if one in domains and other in domains and domains[one] != domains[other]:
            pair = domains[one], domains[other]
            had = crossing.get(pair, (0, 0))
            crossing[pair] = had[0] + messages, had[1] + nbytes
    return Cut(domains, crossing)


def blocks(graph: Graph, room: Numbers, fixed: Mapping[int, int]) -> Numbers:
    """Each domain filled with the nodes that come next, by their order; indices of nodes in `fixed` are set.

    A domain that has no room for a node is left for good, unless none of those behind it has: then the first with room
    takes it. Raises InputError if none has.
    """
    return _filled(graph, room, fixed, range(len(graph)))


def cheapest(
    graph: Graph,
    room: Sequence[Sequence[int]],
    distances: Floats | None = None,
    fixed: Mapping[int, int] | None = None,
    known: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """The domain of each node for which the prices of what crosses, times the distance, sum up to little.

    `room` [domains][resources] is never exceeded, `distances` [domains, domains] is 1 between any two unless it is
    given, nodes of `fixed` stand in their domains. Equal graphs have equal answers. Never worse than `blocks`, nor than
    the domains `known` of all nodes, if given, which are the answer unless a cheaper one is found. Raises InputError if
    the nodes do not fit.
    """
    limits = np.array(room, np.int64).reshape(len(room), -1)
    apart = np.ones((len(room), len(room))) - np.eye(len(room)) if distances is None else distances
    given = {graph.nodes.index(node): domain for node, domain in (fixed or {}).items()}
    stays = np.isin(np.arange(len(graph)), list(given))

    best = refined(graph, blocks(graph, limits, given), limits, apart, stays)
    cost, draw = cost_of(graph, best, apart), np.random.default_rng(0)
    for seed in range(SEEDS if len(room) > 1 and len(graph.others) else 0):
        for start in (_by_metis(graph, limits, seed, seed % 2 > 0), _disturbed(best, np.nonzero(~stays)[0], draw)):
            start = _repaired(graph, start, limits, given)
            found = refined(graph, start, limits, apart, stays) if fits(graph, start, limits) else best
            if (lower := cost_of(graph, found, apart)) < cost:
                best, cost = found, lower
    if known is not None and cost_of(graph, np.array([known[node] for node in graph.nodes], np.int64), apart) <= cost:
        return {node: known[node] for node in graph.nodes}
    return dict(zip(graph.nodes, best.tolist(), strict=True))


def _filled(graph: Graph, room: Numbers, fixed: Mapping[int, int], order: Sequence[int]) -> Numbers:
    domains, free = np.zeros(len(graph), np.int64), room.copy()
    for node, domain in fixed.items():
        domains[node] = domain
        free[domain] -= graph.needs[node]
    here = 0
    for node in order:
        if node in fixed:
            continue
        fitting = np.nonzero((graph.needs[node] <= free).all(axis=1))[0]
        if not len(fitting):
            raise InputError(
                f"core {graph.nodes[node]} finds no room: {counted(len(graph), 'core')} do not fit"
                f" {counted(len(room), 'domain')}"
            )
        behind = fitting[fitting >= here]
        here = int(behind[0]) if len(behind) else here
        domain = here if len(behind) else int(fitting[0])
        domains[node] = domain
        free[domain] -= graph.needs[node]
    return domains


def _by_metis(graph: Graph, room: Numbers, seed: int, few: bool) -> Numbers:
    """METIS's cut (Karypis and Kumar, 1998): what is scarcest is shared out in the ratio of `room`, roughly.

    Among all domains, or the first ones that hold everything (`few`): where there is much room, either may be better.
    """
    scarce = int(np.argmax(graph.needs.sum(axis=0) / np.maximum(1, room.sum(axis=0))))
    needs, there = graph.needs[:, scarce], room[:, scarce]
    if few:
        there = np.where(np.cumsum(there) - there < needs.sum(), there, 0)
    # METIS prints on standard output if it has no nodes for a domain: those of which that is to be feared get none.
    usable = np.nonzero(there * needs.sum() >= LEAST_SHARE * needs.max(initial=1) * there.sum())[0]
    if len(usable) < 2 or (needs > 0).sum() < LEAST_SHARE * len(usable):
        return np.full(len(graph), int(np.argmax(there)))
    import pymetis  # which takes as long to import as much of the rest, and most runs cut nothing

    prices = np.maximum(1, graph.prices / (graph.prices.max() or 1) * FINEST).astype(np.int64)
    shares = there[usable] / there[usable].sum()
    _, domains = pymetis.part_graph(
        len(usable),
        pymetis.CSRAdjacency(graph.starts, graph.others),
        vweights=needs.tolist(),
        eweights=prices.tolist(),
        tpwgts=shares.tolist(),
        options=pymetis.Options(seed=seed, ufactor=1),
    )
    return usable[np.array(domains, np.int64)]


def _disturbed(domains: Numbers, movable: Numbers, draw: np.random.Generator) -> Numbers:
    """Some nodes in each other's place."""
    domains = domains.copy()
    pairs = min(len(movable) // 2, len(movable) // (2 * DISTURBED) + 1)
    chosen = draw.choice(movable, (pairs, 2), replace=False)
    domains[chosen] = domains[chosen[:, ::-1]]
    return domains


def _repaired(graph: Graph, domains: Numbers, room: Numbers, fixed: Mapping[int, int]) -> Numbers:
    """The same, but nodes of `fixed` in their domains, and those that are too many where there is most room."""
    domains = domains.copy()
    domains[list(fixed)] = list(fixed.values())
    free = room - used(graph, domains, len(room))
    for domain in range(len(room)):
        for node in reversed(np.nonzero(domains == domain)[0].tolist()):
            if (free[domain] >= 0).all():
                break
            need = graph.needs[node]
            to = int(np.argmax((free - need).min(axis=1)))
            if node not in fixed and (free[to] >= need).all():
                domains[node] = to
                free[domain] += need
                free[to] -= need
    return domains

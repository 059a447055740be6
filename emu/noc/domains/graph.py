"""The graph that is cut: nodes of a network, what they need, and the price of what each two exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Exchanged = Mapping[tuple[int, int], tuple[int, int]]  # (sender, receiver): messages, bytes


@dataclass(frozen=True, eq=False)
class Graph:
    """`nodes` are numbers of cores, or of the global memory; what follows counts by their index.

    Node n exchanges something with `others[starts[n]:starts[n + 1]]`, at the same place of `prices`: what one crossing
    of all of it costs, both directions together. So each pair stands twice. `needs` [nodes, resources]: what a node
    takes of the room of its domain.
    """

    nodes: tuple[int, ...]
    starts: Numbers
    others: Numbers
    prices: Floats
    needs: Numbers

    def __len__(self) -> int:
        return len(self.nodes)

    def neighbours(self, node: int) -> tuple[Numbers, Floats]:
        """The nodes that one exchanges something with, and the price of it."""
        part = slice(self.starts[node], self.starts[node + 1])
        return self.others[part], self.prices[part]


@dataclass(frozen=True, slots=True)
class Price:
    """What a message costs that crosses once, in any unit of time: `message` + `byte` for each of its bytes."""

    message: float
    byte: float

    def of(self, messages: int, nbytes: int) -> float:
        """Of so many messages with so many bytes together."""
        return messages * self.message + nbytes * self.byte


def graph_of(exchanged: Exchanged, nodes: Sequence[int], needs: Sequence[Sequence[int]], price: Price) -> Graph:
    """The graph of what `nodes` exchange; pairs with others, or of a node with itself, are left out.

    `needs`: what each node takes, of as many resources as its domain has.
    """
    index = {node: place for place, node in enumerate(nodes)}
    count = max(1, len(nodes))
    within = {pair: what for pair, what in exchanged.items() if len({*pair} & index.keys()) == 2}
    ends = np.array([(index[one], index[other]) for one, other in within], np.int64).reshape(-1, 2)
    cost = np.array([price.of(*what) for what in within.values()], np.float64)
    keys, inverse = np.unique(np.concatenate((ends @ [count, 1], ends @ [1, count])), return_inverse=True)
    prices = np.bincount(inverse, np.concatenate((cost, cost)), len(keys)).astype(np.float64)  # integers if empty
    starts = np.searchsorted(keys, np.arange(len(nodes) + 1) * count)
    return Graph(tuple(nodes), starts, keys % count, prices, np.array(needs, np.int64).reshape(len(nodes), -1))

"""Which place each core takes, so that bytes cross few links: a descent by swaps, from several starts.

Costs are whole numbers far below 2^53, so sums of floats are exact and the result is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Order = NDArray[np.int64]  # the place of each core, by index
Points = NDArray[np.int64]  # [places, 2]
Together = NDArray[np.bool_] | None  # [places, places]: which two cores may swap, by those that begin there

MOST_PLACES = 256  # that are looked at, where a chip has more
EFFORT = 200_000  # entries of a matrix that all starts together look through, roughly
MOST_STARTS = 48
DISTURBED = 8  # one in so many cores is put elsewhere for another start


def weights_of(traffic: Mapping[tuple[int, int], int], cores: Sequence[int]) -> Matrix:
    """Bytes between each two of `cores`, in both directions together: [cores, cores], symmetric."""
    index = {core: place for place, core in enumerate(cores)}
    weights = np.zeros((len(cores), len(cores)))
    for (sender, receiver), nbytes in traffic.items():
        if sender != receiver:
            weights[index[sender], index[receiver]] += nbytes
            weights[index[receiver], index[sender]] += nbytes
    return weights


def places_for(width: int, cores: Sequence[int], limit: int, of_chip: int | None = None) -> list[int]:
    """The places, as numbers of cores below `limit`, that `cores` may take; those that they have come first.

    On a mesh of `width` columns, of which those near the first core are taken where there are many; or on several with
    so many cores `of_chip`, those of the first ones.
    """

    def far(place: int) -> tuple[int, int, int]:
        chip, here = divmod(place, of_chip or limit)
        return chip, sum(divmod(here, width)), place

    free = sorted(set(range(limit)) - set(cores), key=far)
    return [*cores, *free[: max(0, MOST_PLACES - len(cores))]]


def points_of(width: int, places: Sequence[int]) -> Points:
    """Column and row of each place on a mesh of `width` columns: [places, 2]."""
    return np.array([(place % width, place // width) for place in places], np.int64).reshape(-1, 2)


def distances_of(points: Points) -> Matrix:
    """Links between each two places: [places, places]."""
    return np.abs(points[:, None, :] - points[None, :, :]).sum(axis=2).astype(np.float64)


def byte_hops(weights: Matrix, distances: Matrix, order: Order) -> int:
    """Bytes times the links that they cross."""
    return int((weights * distances[np.ix_(order, order)]).sum()) // 2


def arrange(
    weights: Matrix,
    distances: Matrix,
    seed: int = 0,
    starts: int | None = None,
    domains: NDArray[np.int64] | None = None,
) -> Order:
    """The place of each core, an index of `distances`; never worse than core n at place n.

    `weights` [cores, cores] as of `weights_of`, `distances` [places, places] with as many places or more. `starts`: how
    many descents there are; None: fewer for more places. With `domains` [places] each core stays in that of its place.
    """
    cores, places = len(weights), len(distances)
    if cores < 2:
        return np.arange(cores)
    together = None if domains is None else domains[:, None] == domains[None, :]
    padded = np.zeros((places, places))
    padded[:cores, :cores] = weights
    draw = np.random.default_rng(seed)
    best = _descended(padded, distances, np.arange(places), together)
    least = byte_hops(padded, distances, best)
    for _ in range(starts if starts is not None else max(1, min(MOST_STARTS, EFFORT // places**2))):
        found = _descended(padded, distances, _disturbed(best, cores, draw, together), together)
        cost = byte_hops(padded, distances, found)
        if cost < least:
            best, least = found, cost
    return best[:cores]


def _disturbed(order: Order, cores: int, draw: np.random.Generator, together: Together) -> Order:
    """Some cores swapped with anybody that may stand there."""
    other = order.copy()
    for one in draw.choice(cores, max(2, cores // DISTURBED), replace=False).tolist():
        peer = int(draw.integers(len(order)))
        if together is None or together[one, peer]:
            other[[one, peer]] = other[[peer, one]]
    return other


def _descended(weights: Matrix, distances: Matrix, order: Order, together: Together) -> Order:
    """The order after the best swap, again and again, until no swap of two that may stand together is better.

    `cost[i, p]` is what core i would pay at the place of core p, the others standing still.
    """
    order = order.copy()
    apart = distances[np.ix_(order, order)]
    cost = weights @ apart
    for _ in count():
        own = np.diagonal(cost)
        gain = cost + cost.T
        gain -= np.add.outer(own, own)
        gain += 2 * weights * apart
        if together is not None:
            gain *= together
        one, other = divmod(int(np.argmin(gain)), len(order))
        if gain[one, other] >= 0:
            break
        cost += np.outer(weights[:, one] - weights[:, other], apart[other] - apart[one])
        pair, swapped = [one, other], [other, one]
        order[pair] = order[swapped]
        apart[pair] = apart[swapped]
        apart[:, pair] = apart[:, swapped]
        cost[:, pair] = weights @ apart[:, pair]
    return order

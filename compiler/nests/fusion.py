"""Two nests as one: where one reads a tensor element by element, the body of the nest that makes it takes its place."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from compiler.nests.body import NestBody
from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest


def composed(consumer: Nest, place: int, producer: Nest) -> Nest | None:
    """`consumer` where operand `place` is computed by `producer`, whose operands stand in its place, in their order.

    None if that is no nest, or one that computes an element twice.
    """
    indices = consumer.sources[place]
    counters = _counters(producer, indices)
    if counters is None or not injective(indices, consumer.sizes):
        return None
    count, before = len(producer.sources), len(consumer.sources)
    inserted = tuple(tuple(index.substituted(counters) for index in source) for source in producer.sources)
    sources = (*consumer.sources[:place], *inserted, *consumer.sources[place + 1 :])
    operands = before + count - 1
    first = producer.body.with_indices(count, counters).renumbered(range(place, place + count), operands)
    made = operands + len(first.steps) - 1 if first.steps else place  # the number of the element that is computed
    numbers = [*range(place), made, *range(place + count, operands)]
    shift = operands + len(first.steps) - before
    numbers += [at + shift for at in range(before, before + len(consumer.body.steps))]
    second = (replace(step, args=tuple(numbers[arg] for arg in step.args)) for step in consumer.body.steps)
    return replace(consumer, sources=sources, body=NestBody((*first.steps, *second)))


def _counters(producer: Nest, indices: Map) -> list[Linear] | None:
    """The counters of a producer that makes the element at `indices`; None if its result is not indexed by them."""
    if not all(producer.parallel):
        return None
    counters = [Linear()] * len(producer.sizes)
    for index, target in zip(indices, producer.target, strict=True):
        if target.factors:
            if target.only is None:
                return None
            counters[target.only] = index
    return counters


def injective(indices: Map, sizes: Sequence[int]) -> bool:
    """Whether different points of a space have different indices: each counter has an index of its own."""
    alone = {index.factors[0][0] for index in indices if len(index.factors) == 1}
    return all(size == 1 or dim in alone for dim, size in enumerate(sizes))


def without_twins(nest: Nest, names: Sequence[Hashable]) -> tuple[Nest, list[int]]:
    """`nest` where operands of one name that are read by one map are one operand; and the places of those left."""
    known, left, places = dict[tuple[Hashable, Map], int](), list[int](), list[int]()
    for place, key in enumerate(zip(names, nest.sources, strict=True)):
        if key not in known:
            known[key] = len(left)
            left.append(place)
        places.append(known[key])
    sources = tuple(nest.sources[place] for place in left)
    return replace(nest, sources=sources, body=_once(nest.body.renumbered(places, len(left)), len(left))), left


def _once(body: NestBody, operands: int) -> NestBody:
    """The body in which no step is that of another one before; the last one, which is the result, stays."""
    known, steps, numbers = {}, [], list(range(operands))
    for place, step in enumerate(body.steps):
        moved = replace(step, args=tuple(numbers[arg] for arg in step.args))
        if moved not in known or place == len(body.steps) - 1:
            known[moved] = operands + len(steps)
            steps.append(moved)
        numbers.append(known[moved])
    return NestBody(tuple(steps))

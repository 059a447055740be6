"""Rules for products: what is summed over an axis that grows is zero behind its end in one factor, finite in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiler.caches.facts import Tail
from compiler.caches.step import Rule, Step


def matmul(step: Step) -> None:
    """MatMul: the last axis of the first factor meets the last but one of the second."""
    names = [step.operand(0), step.operand(1)]
    ranks = [len(step.dims(name)) for name in names]
    rank = max(*ranks, 2)
    batch = [f"b{place}" for place in range(rank - 2)]
    one = ["k"] if ranks[0] == 1 else [*batch[rank - ranks[0] :], "m", "k"]
    other = ["k"] if ranks[1] == 1 else [*batch[rank - ranks[1] :], "k", "n"]
    result = [*batch, *(["m"] if ranks[0] > 1 else []), *(["n"] if ranks[1] > 1 else [])]
    contract(step, names, [one, other], result)


def gemm(step: Step) -> None:
    """Gemm: without an axis of the third operand that grows."""
    names = [step.operand(0), step.operand(1)]
    one = ["k", "m"] if step.integer("transA", 0) else ["m", "k"]
    other = ["n", "k"] if step.integer("transB", 0) else ["k", "n"]
    contract(step, names, [one, other], ["m", "n"])


def einsum(step: Step) -> None:
    """Einsum: letters are axes."""
    left, arrow, right = step.text("equation").replace(" ", "").partition("->")
    if "." in left or not arrow:
        step.refuse("has an equation with dots or without an arrow")
    names = [step.operand(index) for index in range(len(step.inputs))]
    terms = [list(term) for term in left.split(",")]
    if any(len(set(term)) != len(term) for term in terms):
        step.refuse("has an equation that takes a diagonal")
    contract(step, names, terms, list(right))


def contract(step: Step, names: Sequence[str], terms: Sequence[Sequence[str]], result: Sequence[str]) -> None:
    """Mask the factors `names`, whose axes are called as `terms` say, as far as a sum needs it."""
    factors = list(names)
    found: dict[str, object] = {}
    for name, term in zip(names, terms, strict=True):
        for axis in step.grown(name):
            length = step.dims(name)[axis]
            if found.setdefault(term[axis], length) != length:
                step.refuse("has factors of different lengths")
    for label in found.keys() - set(result):
        _mask(step, names, factors, terms, label)
    step.keep(inputs=dict(enumerate(factors)))


def _mask(step: Step, names: Sequence[str], factors: list[str], terms: Sequence[Sequence[str]], label: str) -> None:
    """Make one factor zero behind the end of the axis `label`, and all others finite."""
    holders = [(place, term.index(label)) for place, term in enumerate(terms) if label in term]
    if any(not step.dims(names[place])[axis].grows for place, axis in holders):
        step.refuse("sums over an axis that grows in one factor only")
    tails = {place: step.tail(names[place], axis) for place, axis in holders}
    zero = min(tails, key=lambda place: tails[place])
    for place, axis in holders:
        if tails[place] > (Tail.ZERO if place == zero else Tail.FINITE):
            factors[place] = step.masked(names[place], axis, "zero", factors[place])


RULES: Mapping[str, Rule] = {"MatMul": matmul, "Gemm": gemm, "Einsum": einsum}

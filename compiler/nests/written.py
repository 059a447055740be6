"""Products of two operands with one of them on crossbars: which dimensions are rows and columns of what is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from compiler.nests.linear import Map
from compiler.nests.nest import Nest

Dims = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WrittenMatrices:
    """One operand as matrices that are written to crossbars, the other one as vectors that are multiplied with them.

    Dimensions of a product: `inner` count the rows of a matrix, `columns` its columns, `vectors` the vectors that meet
    it, and `matrices` the matrices, each of which has vectors of its own.
    """

    inner: Dims
    columns: Dims
    vectors: Dims
    matrices: Dims


def matrices_of(parallel: Sequence[bool], written: Sequence[bool], other: Sequence[bool]) -> WrittenMatrices | None:
    """What each dimension counts of which is known whether it is `parallel`, and counts in the operands.

    None if there is a sum over what one operand alone has.
    """
    kinds: dict[tuple[bool, bool], list[int]] = {(one, two): [] for one in (True, False) for two in (True, False)}
    inner = list[int]()
    for dim, kind in enumerate(zip(written, other, strict=True)):
        if parallel[dim]:
            kinds[kind].append(dim)
        elif all(kind):
            inner.append(dim)
        else:
            return None
    vectors = sorted([*kinds[False, True], *kinds[False, False]])
    return WrittenMatrices(tuple(inner), tuple(kinds[True, False]), tuple(vectors), tuple(kinds[True, True]))


def as_matrices(nest: Nest, operand: int) -> WrittenMatrices | None:
    """The dimensions of more than one point, where `operand` of a product is written; None as of `matrices_of`."""
    dims = [dim for dim, size in enumerate(nest.sizes) if size > 1]
    counts = [[any(index.factor(dim) for index in indices) for dim in dims] for indices in nest.sources]
    found = matrices_of([nest.parallel[dim] for dim in dims], counts[operand], counts[1 - operand])
    if found is None:
        return None
    inner, columns, vectors, matrices = (
        tuple(dims[place] for place in part) for part in (found.inner, found.columns, found.vectors, found.matrices)
    )
    return WrittenMatrices(inner, columns, vectors, matrices)


def points(sizes: Sequence[int], dims: Dims) -> int:
    """Points of some dimensions."""
    return prod(sizes[dim] for dim in dims)


def by_steps(dims: Dims, steps: Sequence[int]) -> Dims:
    """The dimensions in the order of memory: those with the longest steps first."""
    return tuple(sorted(dims, key=lambda dim: -abs(steps[dim])))


def is_dense(sizes: Sequence[int], steps: Sequence[int], dims: Dims, word: int = 1) -> bool:
    """Whether the points of `dims`, the last of which is the innermost, follow each other by `word`."""
    for dim in reversed(dims):
        if steps[dim] != word:
            return False
        word *= sizes[dim]
    return True


def element_steps(indices: Map, shape: Sequence[int], dimensions: int) -> list[int]:
    """Elements of a dense tensor of `shape` that each of so many dimensions goes."""
    steps = [0] * dimensions
    for place, index in enumerate(indices):
        for dim, factor in index.factors:
            steps[dim] += factor * prod(shape[place + 1 :])
    return steps

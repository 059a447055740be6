"""Products of two results on the crossbars of one core: which operand is written, and where its matrices stand.

The operand with fewer cells to write is chosen. What fits beside all others of the core stays on crossbars of its own;
else all take the same crossbars one after the other, each as many as it can use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute

from compiler.dialects import attributes as attr
from compiler.dialects.nest_attributes import nest_properties
from compiler.kernels.nest import NestOp
from compiler.mapping.tiling.core_load import CoreLoad
from compiler.nests.written import as_matrices, points
from emu.arch import Arch
from emu.isa.dtypes import DType
from emu.program.group import group_types_fit
from emu.wording import counted

Decided = Mapping[str, Attribute] | str  # properties of a kernel that writes, or why it does not


@dataclass(frozen=True, slots=True)
class Candidate:
    """A product of two results of which input `operand` may be written: `count` matrices of `crossbars` logical ones.

    A logical crossbar takes `arrays` physical ones. `may_stay`: all rows of the result meet every matrix.
    """

    kernel: NestOp
    operand: int
    count: int
    crossbars: int
    arrays: int
    may_stay: bool


def products_among(kernels: Iterable[object]) -> list[NestOp]:
    """The kernels that are products of two results."""
    return [
        kernel
        for kernel in kernels
        if isinstance(kernel, NestOp) and len(kernel.inputs) == 2 and not kernel.arrays and kernel.contraction
    ]


def candidate_of(kernel: NestOp, arch: Arch) -> Candidate | str:
    """What would be written for a product, or why no crossbar can take it, as the end of a sentence."""
    nest, types = kernel.nest, kernel.element_types
    fitting = [
        operand
        for operand in (0, 1)
        if group_types_fit(types[1 - operand], types[operand], kernel.dtype) and arch.columns(types[operand])
    ]
    if not fitting:
        return f"crossbars do not multiply {types[0].name} by {types[1].name} into {kernel.dtype.name}"
    if as_matrices(nest, 0) is None:
        return "it sums over what one operand alone has"
    operand = min(fitting, key=lambda place: (_cells(kernel, place, arch), not _ends_result(kernel, place), -place))
    found = as_matrices(nest, operand)
    assert found is not None  # for either operand
    rows, cols = arch.crossbar.rows, arch.columns(types[operand])
    crossbars = -(-points(nest.sizes, found.inner) // rows) * -(-points(nest.sizes, found.columns) // cols)
    rows_meet_all = kernel.row not in (*found.matrices, *found.columns) and not kernel.at_once
    count, arrays = points(nest.sizes, found.matrices), arch.cells(types[operand])
    return Candidate(kernel, operand, count, crossbars, arrays, rows_meet_all)


def _cells(kernel: NestOp, operand: int, arch: Arch) -> int:
    """Physical cells that are written."""
    found = as_matrices(kernel.nest, operand)
    assert found is not None  # for either operand
    dims = (*found.matrices, *found.inner, *found.columns)
    return points(kernel.nest.sizes, dims) * arch.weight_slices(kernel.element_types[operand])


def _ends_result(kernel: NestOp, operand: int) -> bool:
    """Whether the innermost elements of the result are columns of the operand, so that sums stand as they are made."""
    found = as_matrices(kernel.nest, operand)
    dims = [dim for dim, _ in kernel.nest.target[-1].factors]
    return found is not None and any(dim in found.columns for dim in dims)


def wants(kernels: Iterable[object], arch: Arch, cells: int) -> tuple[int, int]:
    """What the products among some kernels would take, in logical crossbars of `cells` physical ones each.

    So many that each matrix has its own, and so many that the largest one has room.
    """
    found = [each for kernel in products_among(kernels) if not isinstance(each := candidate_of(kernel, arch), str)]
    every = sum(each.count * each.crossbars * each.arrays for each in found)
    largest = max((each.crossbars * each.arrays for each in found), default=0)
    return -(-every // cells), -(-largest // cells)


def decide(kernels: Iterable[NestOp], load: CoreLoad) -> Iterator[tuple[NestOp, Decided]]:
    """For each of the products of a core, the properties of its kernel on crossbars, or why it is not there."""
    candidates = list[Candidate]()
    for kernel in kernels:
        found = candidate_of(kernel, load.arch)
        if isinstance(found, str):
            yield kernel, found
        else:
            candidates.append(found)
    yield from ((each.kernel, decided) for each, decided in _placed(candidates, load))


def _placed(candidates: Sequence[Candidate], load: CoreLoad) -> Iterator[tuple[Candidate, Decided]]:
    first = max(load.segments, load.end)
    end = load.room(max([load.arrays, *(each.arrays for each in candidates)]))
    left, whole = max(0, end - first), max(0, end - load.segments)
    for each in candidates:
        if each.crossbars > left:
            need = counted(each.crossbars * each.arrays, "crossbar")
            yield each, f"a matrix of it takes {need}, and its core has room for {whole * each.arrays} in its bank"
    fitting = [each for each in candidates if each.crossbars <= left]
    together = sum(each.count * each.crossbars for each in fitting) <= left
    at = 0
    for each in fitting:
        groups = min(each.count, left // each.crossbars)
        if at + groups * each.crossbars > left:  # only if they are not there together
            at = 0
        yield each, _properties(each, load.arch, first + at, groups, together and each.may_stay)
        at += groups * each.crossbars


def _properties(each: Candidate, arch: Arch, bank: int, groups: int, stays: bool) -> Mapping[str, Attribute]:
    kernel = each.kernel
    kinds: tuple[DType, ...] = kernel.element_types
    kept = {name: kernel.properties[name] for name in ("epilogue",) if name in kernel.properties}
    return {
        **nest_properties(kernel.nest),
        **kept,
        "operand": attr.integer(each.operand),
        "crossbar": attr.ints((arch.crossbar.rows, arch.columns(kinds[each.operand]))),
        "bank": attr.integer(bank),
        "groups": attr.integer(groups),
        "stays": attr.integer(int(stays)),
    }

"""Kernel `nest`: loops around a body of scalar functions, in the form of `linalg.generic`, on tiles and constants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.nest_attributes import nest_properties
from compiler.dialects.types import ELEMENTS, element_dtype
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.nest import NestParts, emit_nest
from compiler.emission.nest_accesses import RowPart
from compiler.emission.nest_loops import NestSpace, StripAccess
from compiler.emission.nest_steps import CHUNK, BodyPlan, plan_body
from compiler.emission.strip import Strip
from compiler.kernels.axis_cut import AxisCut
from compiler.kernels.nest_kernel import NestKernel
from compiler.kernels.shapes import verify_counts
from compiler.nests.body import CONSTANT, INDEX
from compiler.nests.channels import NestCut, axis_cut, channel_cut
from compiler.nests.contraction import contraction_of
from compiler.nests.functions import COMBINES, ROUNDED
from compiler.nests.linear import Linear, Map
from compiler.nests.nest import Nest
from emu.isa.dtypes import DType


@irdl_op_definition
class NestOp(NestKernel):
    """A structured nest on tiles, then on the `arrays` of the weight store, of element types `types`.

    `sizes` is the part of the space that is worked on here; it begins at the point `origin` of the whole space (the
    first one by default), where the arrays and indices of the body begin; tiles begin where their part does.
    """

    name = "kernel.nest"
    arrays = opt_prop_def(ArrayAttr[StringAttr])
    types = opt_prop_def(ArrayAttr[Attribute])
    origin = opt_prop_def(DenseArrayBase)

    @staticmethod
    def described(nest: Nest, arrays: Sequence[tuple[str, DType]]) -> dict[str, Attribute]:
        """The properties of a nest whose last operands are arrays: keys and types."""
        properties = nest_properties(nest)
        if arrays:
            properties["arrays"] = attr.strings(key for key, _ in arrays)
            properties["types"] = ArrayAttr([ELEMENTS[dtype] for _, dtype in arrays])
        return properties

    @property
    def begin(self) -> tuple[int, ...]:
        """The point of the whole space at which it begins."""
        return attr.values(self.origin) or (0,) * len(self.nest.sizes)

    @property
    def element_types(self) -> tuple[DType, ...]:
        """The element types of tiles and arrays."""
        return (*super().element_types, *(element_dtype(kind) for kind in self.types or ()))

    @property
    def plan(self) -> BodyPlan:
        """Where the values of the body stand; a matrix product has none."""
        nest = self.nest
        if self.contraction is not None:
            return BodyPlan((), (), (), ())
        return plan_body(nest.body, len(nest.sources), keep_last=bool(nest.combine))

    # verifier ---------------------------------------------------------------------------------------------------

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """A nest that makes the only output of the inputs and of arrays, which are not looked at here."""
        verify_counts(inputs, outputs, of=len(inputs))
        nest, arrays = self.nest, len(self.arrays or ())
        if arrays != len(self.types or ()):
            raise VerifyException("types must hold one element type for each of arrays")
        begin = self.begin
        if len(begin) != len(nest.sizes) or min(begin, default=0) < 0:
            raise VerifyException(
                f"origin must hold {len(nest.sizes)} numbers from 0 on, one per dimension of the space"
            )
        if fault := nest.fault([*inputs, *[None] * arrays], self.element_types, outputs[0], self.dtype):
            raise VerifyException(f"has {fault}")
        if any(step.fn == INDEX and not isinstance(step.number, int) for step in nest.body.steps):
            raise VerifyException("has an index of no dimension")

    def verify_arrays(self, weights: WeightStore) -> None:
        """Arrays of their types, that have every element that is used."""
        nest, count = self.nest, len(self.inputs)
        for key, dtype, indices in zip(
            self.arrays or (), self.element_types[count:], nest.sources[count:], strict=True
        ):
            array = weights.get(key.data)
            fault = nest.reach_fault(indices, array.shape, self.begin)
            if array.dtype != dtype.numpy or fault:
                raise VerifyException(
                    f"has an array {key.data} {list(array.shape)} of {array.dtype}: {fault or 'wrong'}"
                )

    # what it needs ----------------------------------------------------------------------------------------------

    def may_replace(self, index: int) -> bool:
        """Every element is read where it is written, and nowhere else."""
        nest = self.nest
        same = [at for at, value in enumerate(self.inputs) if value is self.inputs[index]]
        return not nest.combine and all(nest.sources[at] == nest.target for at in same)

    def scratch_shapes(self, streamed: bool) -> list[Shape]:
        """Vectors for values between steps; of a reduction also one partial value."""
        length = min(CHUNK, self.nest.points)
        return [(1, 1, length)] * len(self.plan.slots) + [(1, 1, 1)] * bool(self.nest.combine)

    def scratch_types(self, streamed: bool) -> list[DType]:
        """Those of the values."""
        return [*self.plan.slots, *([self.dtype] if self.nest.combine else [])]

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """The parts of the arrays that are used, the numbers and indices of the body, a reduction's start value."""
        nest, arrays = self.nest, list[Array]()
        for key, indices in zip(self.arrays or (), nest.sources[len(self.inputs) :], strict=True):
            box = tuple(slice(low, high + 1) for low, high in self._box(indices))
            arrays.append(weights.get(key.data)[box])
        for step in self.plan.given:
            if step.fn == CONSTANT:
                arrays.append(np.array([step.number]).astype(step.dtype.numpy))
            else:
                dim = int(step.number)
                arrays.append(np.arange(nest.sizes[dim], dtype=step.dtype.numpy) + self.begin[dim])
        if nest.combine:
            arrays.append(np.array([COMBINES[nest.combine].start(self.dtype)]).astype(self.dtype.numpy))
        return [np.ascontiguousarray(array).reshape(1, 1, -1) for array in arrays]

    def _box(self, indices: Map) -> list[tuple[int, int]]:
        """Of an array the least and the largest index that is used in each dimension."""
        begin = [Linear(first, ((dim, 1),)) for dim, first in enumerate(self.begin)]
        return [index.substituted(begin).range(self.nest.sizes) for index in indices]

    def cut_channels(self, low: int, high: int) -> AxisCut | None:
        """The same channels of inputs of which channel c of the output needs channel c + k, all of the others."""
        cut = channel_cut(self.nest, self.input_shapes, low, high)
        return None if cut is None else AxisCut(cut.boxes, self._part(cut, low))

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut | None:
        """The places that they need; None if a sum would be added in another order."""
        cut = axis_cut(self.nest, self.input_shapes, axis, low, high)
        if cut is None or not self._sums_alike(cut.nest):
            return None
        return AxisCut(cut.boxes, self._part(cut, low))

    def _part(self, cut: NestCut, low: int) -> dict[str, Attribute]:
        """The properties of a part, that begins at point `low` of the dimension that is cut."""
        begin = [first + low * (dim == cut.dim) for dim, first in enumerate(self.begin)]
        return {**nest_properties(cut.nest), "origin": attr.ints(begin)}

    def _sums_alike(self, part: Nest) -> bool:
        """Whether a part of the nest gives its bits: the order of sums may depend on the sizes of the space."""
        if not self.nest.combine or not self.dtype.is_float or self.nest.combine not in ROUNDED:
            return True
        return self.contraction is not None and contraction_of(part, self.element_types) is not None

    # instructions -----------------------------------------------------------------------------------------------

    def emit(self, emitter: Emitter) -> None:
        """The nest on every run of rows that do not wrap."""
        inputs, (out,) = emitter.operands(self)
        nest, plan, constants = self.nest, self.plan, emitter.strips(self.constants)
        scratch = emitter.strips(self.scratch)
        slots, partial = scratch[: len(plan.slots)], scratch[-1] if nest.combine else None
        start = constants.pop() if nest.combine else None
        types = self.element_types
        for part, rows, sizes in self.parts(inputs, out):
            space = NestSpace(sizes, nest.parallel, tuple(self._accesses(inputs, constants, part)))
            emit_nest(
                emitter, NestParts(space, nest.body, plan, types, nest.combine, slots, partial, start, self.contraction)
            )
            emit_epilogue(emitter, self.activations, out.at(row=part.row), rows * out.width * out.channels)

    def _accesses(self, inputs: Sequence[Strip], constants: Sequence[Strip], part: RowPart) -> list[StripAccess]:
        """The accesses of tiles, arrays, numbers and indices, and of the result."""
        nest, accesses = self.nest, self.tiles(inputs, part)
        strips = iter(constants)
        for indices in nest.sources[len(inputs) :]:
            box = self._box(indices)
            first = tuple(
                index.substituted([Linear(at, ((dim, 1),)) for dim, at in enumerate(self.begin)]).plus(-low)
                for index, (low, _) in zip(indices, box, strict=True)
            )
            accesses.append(part.whole(next(strips), first, [high - low + 1 for low, high in box]))
        for step in self.plan.given:
            dims = [] if step.fn == CONSTANT else [int(step.number)]
            sizes = [nest.sizes[dim] for dim in dims]
            accesses.append(part.whole(next(strips), tuple(map(Linear.dim, dims)), sizes))
        return [*accesses, self.result(part)]

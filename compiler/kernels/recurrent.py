"""Kernel `recurrent`: steps of time one after the other; weights and states stay on the core."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.origin import ElementOrigin
from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.cell_bodies import body_operands, read_bodies, verify_bodies
from compiler.dialects.cells import CELLS, LENGTHS, MASK, PEEPHOLES, Cell, Multiply
from compiler.dialects.kernel import Shape
from compiler.dialects.nest_attributes import Steps
from compiler.dialects.types import dtype_of
from compiler.dialects.verifying import verify_name
from compiler.emission.emitter import Emitter
from compiler.emission.gate_functions import GateFunction, gate_functions
from compiler.emission.nest_steps import CHUNK, BodyPlan, plan_body
from compiler.emission.recurrence import STEPS, CoreBuffers, Recurrence
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap
from compiler.kernels.shapes import verify_array
from compiler.nests.body import NestBody
from emu.image.cells import Cells
from emu.isa.dtypes import DType

MADE = ("y", "h", "c")  # what can be told of each step: the state that it gives, and the states as they are kept


@irdl_op_definition
class RecurrentOp(Kernel):
    """A recurrence over the rows of its first input, which are steps of time: [time][batch][gates * size].

    Further inputs are what is `given`: states [directions][batch][size], of which row `direction` begins the
    recurrence, and `lengths` [1][1][batch] of the samples, behind which states stay as they are. `initial_h`,
    `initial_c` [batch, size] and `lengths` [batch] are such as constants. Of each step it makes what `makes` lists.
    `weights` [gates * size, size] stand in crossbars of `crossbar` rows and columns. With `reverse` 1 the last step
    comes first.
    """

    name = "kernel.recurrent"
    cell = prop_def(StringAttr)
    bodies = prop_def(ArrayAttr[Steps])
    makes = prop_def(ArrayAttr[StringAttr])
    weights = prop_def(StringAttr)
    crossbar = prop_def(DenseArrayBase)
    reverse = prop_def(IntegerAttr)
    direction = prop_def(IntegerAttr)
    given = prop_def(ArrayAttr[StringAttr])
    bias = opt_prop_def(StringAttr)
    hidden_bias = opt_prop_def(StringAttr)
    peepholes = opt_prop_def(StringAttr)
    initial_h = opt_prop_def(StringAttr)
    initial_c = opt_prop_def(StringAttr)
    lengths = opt_prop_def(StringAttr)

    @property
    def row(self) -> Cell:
        """Its cell."""
        return CELLS[self.cell.data]

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return self.output_shapes[0][-1]

    @property
    def batch(self) -> int:
        """Samples that are worked on side by side."""
        return prod(self.output_shapes[0][1:-1])

    @property
    def backwards(self) -> bool:
        """Whether the last step comes first."""
        return bool(self.reverse.value.data)

    @property
    def at_once(self) -> bool:
        """The first row that is made needs the last one of the input if time runs backwards."""
        return self.backwards

    @property
    def masked(self) -> bool:
        """Whether sequences end early."""
        return self.lengths is not None or any(name.data == LENGTHS for name in self.given)

    # verifier ---------------------------------------------------------------------------------------------------

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Gates of each step, states to begin with, and results that are states of each step."""
        verify_name("cell", self.cell, CELLS)
        cell, made, given = self.row, [name.data for name in self.makes], [name.data for name in self.given]
        states = ("y", *cell.states)
        if not made or len(set(made)) < len(made) or not set(made) <= set(states) or len(outputs) != len(made):
            raise VerifyException(f"makes must hold one of {', '.join(states)} for each of the {len(outputs)} outputs")
        constant = [state for state in cell.states if getattr(self, f"initial_{state}", None) is not None]
        constant += [LENGTHS] * (self.lengths is not None)
        if len(set(given + constant)) < len(given + constant) or not set(given) <= {*cell.states, LENGTHS}:
            raise VerifyException(f"given must hold some of {', '.join((*cell.states, LENGTHS))}, each one once")
        if len(inputs) != 1 + len(given) or len(set(outputs)) != 1:
            raise VerifyException(f"takes {1 + len(given)} inputs to outputs of one shape, not {len(inputs)}")
        (time, *_), size, batch = outputs[0], self.size, self.batch
        if 0 in outputs[0] or inputs[0] != (time, batch, cell.gates * size):
            raise VerifyException(f"takes {[time, batch, cell.gates * size]} gates, not {list(inputs[0])}")
        self._verify_numbers()
        at = self.direction.value.data
        for name, shape in zip(given, inputs[1:], strict=True):
            if name == LENGTHS and shape != (1, 1, batch):
                raise VerifyException(f"takes the lengths of {batch} samples, not {list(shape)}")
            if name != LENGTHS and (len(shape) != 3 or shape[1:] != (batch, size) or not 0 <= at < shape[0]):
                raise VerifyException(f"begins with row {at} of states [{batch}][{size}], which {list(shape)} has not")
        if self.peepholes is not None and not cell.takes_peepholes:
            raise VerifyException(f"has peepholes, which a cell of {self.cell.data} has not")
        verify_bodies(self.bodies, cell, 1, self.peepholes is not None, self.masked)

    def verify_elements(self) -> None:
        """Float32, but for the lengths."""
        names = ["x", *(name.data for name in self.given), *(name.data for name in self.makes)]
        for name, value in zip(names, (*self.inputs, *self.outputs), strict=False):
            wanted = DType.i32 if name == LENGTHS else DType.f32
            if dtype_of(value) != wanted:
                raise VerifyException(f"works on f32, with lengths of i32, not on {dtype_of(value).name}")

    def _verify_numbers(self) -> None:
        crossbar = attr.values(self.crossbar)
        if len(crossbar) != 2 or min(crossbar) < 1:
            raise VerifyException("crossbar must hold the rows and columns of a crossbar")
        if self.reverse.value.data not in (0, 1):
            raise VerifyException("reverse must be 0 or 1")
        if self.epilogue is not None:
            raise VerifyException("takes no epilogue: its states are what they are")

    def verify_arrays(self, weights: WeightStore) -> None:
        """Arrays of the sizes that the cell has."""
        gates, size = self.row.gates * self.size, self.size
        shapes = {
            "weights": (gates, size),
            "bias": (gates,),
            "hidden_bias": (size,),
            "peepholes": (PEEPHOLES * size,),
            "initial_h": (self.batch, size),
            "initial_c": (self.batch, size),
        }
        for name, shape in shapes.items():
            key = getattr(self, name)
            if key is not None:
                verify_array(name, weights.get(key.data), (), shape)
        if self.lengths is not None:
            array = weights.get(self.lengths.data)
            if array.shape != (self.batch,) or array.dtype != np.int32:
                raise VerifyException(f"needs lengths of {self.batch} samples in int32, not {list(array.shape)}")

    # what it needs ----------------------------------------------------------------------------------------------

    def tiles(self, product: Multiply) -> tuple[list[int], list[int]]:
        """Heights of the row tiles and widths of the column tiles of a product's array group."""
        rows, cols = attr.values(self.crossbar)
        low, high = product.gates
        return _tile_sizes(self.size, rows), _tile_sizes((high - low) * self.size, cols)

    @property
    def crossbars(self) -> int:
        """Row tiles times column tiles, of all products."""
        return sum(len(rows) * len(cols) for rows, cols in map(self.tiles, self.row.products))

    @property
    def largest_group(self) -> tuple[int, int]:
        """All of the product with most gates."""
        return self.size, max(sum(self.tiles(product)[1]) for product in self.row.products)

    @property
    def tallest(self) -> int:
        """As in Kernel."""
        return min(self.size, attr.values(self.crossbar)[0])

    def spread(self, height: int) -> dict[str, Attribute]:
        """As in Kernel: crossbars of which fewer word lines are used."""
        return {"crossbar": attr.ints((height, attr.values(self.crossbar)[1]))}

    def declare(self, emitter: Emitter) -> None:
        """A group per product."""
        self._groups(emitter)

    def _groups(self, emitter: Emitter) -> list[int]:
        return [self._group(emitter, product) for product in self.row.products]

    @property
    def mvms(self) -> int:
        """Those of every step and sample."""
        return self.output_shapes[0][0] * self.batch * self.crossbars

    def row_maps(self) -> list[RowMap]:
        """A step needs its gates; of the states to begin with, a row."""
        time, *others = self.input_shapes
        rows = (0 if name.data == LENGTHS else self.direction.value.data for name in self.given)
        given = (RowMap(shape[0], scale=0, before=-row) for shape, row in zip(others, rows, strict=True))
        return [RowMap(time[0]), *given]

    def variant(self, first: int, count: int) -> bool:
        """The first rows begin with the states to begin with, all others with those of the rows before."""
        return first == 0

    @property
    def plans(self) -> list[tuple[NestBody, tuple[str, ...], BodyPlan]]:
        """The bodies, without `functions`, the vectors that each works on, and where its values stand."""
        return [
            (body, names, plan_body(body, len(names), keep_last=False))
            for body, names in zip(self._divided()[1], self._vectors(), strict=True)
        ]

    @property
    def functions(self) -> list[GateFunction]:
        """What is done with several gates at once."""
        return self._divided()[0]

    def _vectors(self) -> list[tuple[str, ...]]:
        return body_operands(self.row, self.peepholes is not None, self.masked)

    def _divided(self) -> tuple[list[GateFunction], list[NestBody]]:
        return gate_functions(self.row, read_bodies(self.bodies), self._vectors())

    def slots(self) -> list[DType]:
        """The types of vectors for values between steps: as many of each type as the body that needs most."""
        kinds = [list(plan.slots) for _, _, plan in self.plans]
        types = dict.fromkeys(kind for slots in kinds for kind in slots)
        return [kind for kind in types for _ in range(max(slots.count(kind) for slots in kinds))]

    def scratch_shapes(self, streamed: bool) -> list[Shape]:
        """The states, the gates of one sample, what else a cell has, the mask, and values between steps."""
        size, cell = self.size, self.row
        states: list[Shape] = [(1, self.batch, size)] * len(cell.states)
        others: list[Shape] = [(1, 1, size)] * len(cell.others)
        flag: list[Shape] = [(1, 1, 1)] * self.masked
        slots: list[Shape] = [(1, 1, min(CHUNK, size))] * len(self.slots())
        return [*states, (1, 1, cell.gates * size), *others, *flag, *slots]

    def scratch_types(self, streamed: bool) -> list[DType]:
        """Float32, but for what comparisons make."""
        floats = len(self.row.states) + 1 + len(self.row.others)
        return [*[DType.f32] * floats, *[DType.bool] * self.masked, *self.slots()]

    @property
    def kept(self) -> Sequence[SSAValue]:
        """The states."""
        return self.scratch[: len(self.row.states)]

    @property
    def constant_names(self) -> list[str]:
        """What its constants are, in order: those by name, then the numbers of each body."""
        names = [name for name in ("bias", "hidden_bias", "peepholes") if getattr(self, name) is not None]
        names += [name for name in ("initial_h", "initial_c") if getattr(self, name) is not None]
        names += [LENGTHS] if self.lengths is not None else []
        return [*names, STEPS] if self.masked else names

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """Biases, peepholes, states to begin with, the steps that each sequence has, and numbers of the bodies."""
        arrays = list[Array]()
        for name in self.constant_names:
            if name == STEPS:
                arrays.append(np.arange(self.output_shapes[0][0], dtype=np.int32).reshape(-1, 1, 1))
            else:
                array = weights.get(getattr(self, name).data)
                arrays.append(np.ascontiguousarray(array).reshape(1, -1, array.shape[-1]))
        numbers = [step for _, _, plan in self.plans for step in plan.given]
        return [*arrays, *(np.array([[[step.number]]]).astype(step.dtype.numpy) for step in numbers)]

    # instructions -----------------------------------------------------------------------------------------------

    def emit(self, emitter: Emitter) -> None:
        """The states to begin with, in front of the first row; then a loop over rows, and in it one over samples."""
        inputs, outputs = emitter.operands(self)
        cell, scratch, constants = self.row, emitter.strips(self.scratch), emitter.strips(self.constants)
        names, buffers = self.constant_names, [*cell.states, "gates", *cell.others, *[MASK] * self.masked]
        rows = dict(zip((name.data for name in self.given), inputs[1:], strict=True))
        vectors = dict(zip(buffers, scratch, strict=False)) | dict(zip(names, constants, strict=False))
        if LENGTHS in rows:
            vectors[LENGTHS] = rows[LENGTHS]
        recurrence = Recurrence(
            emitter,
            cell,
            CoreBuffers(vectors, scratch[len(buffers) :], constants[len(names) :]),
            self.plans,
            self.functions,
            self._groups(emitter),
            self.size,
        )
        if outputs[0].rows.first == 0:
            recurrence.begin(rows, self.direction.value.data)
        made = dict(zip((name.data for name in self.makes), outputs, strict=True))
        recurrence.run(inputs[0], made, self.backwards)

    def _group(self, emitter: Emitter, product: Multiply) -> int:
        gates = slice(*(gate * self.size for gate in product.gates))

        def make(array: Array) -> Array:
            return np.ascontiguousarray(array[gates].T)

        def cells(origin: ElementOrigin) -> Cells:
            columns, rows = origin.moves
            return Cells("", origin.tensor, origin.shape, origin.start + rows, columns[gates])

        return emitter.group(*self.tiles(product), self.weights.data, make, cells)


def _tile_sizes(total: int, part: int) -> list[int]:
    return [min(part, total - at) for at in range(0, total, part)]

"""Kernel `recurrent`: steps of time one after the other; weights and states stay on the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.cell_bodies import body_operands, read_bodies, verify_bodies
from compiler.dialects.cells import CELLS, MASK, PEEPHOLES, Cell, Multiply
from compiler.dialects.kernel import Shape
from compiler.dialects.nest_attributes import Steps
from compiler.dialects.verifying import verify_name
from compiler.emission.emitter import Emitter
from compiler.emission.nest_steps import CHUNK, BodyPlan, plan_body
from compiler.emission.recurrence import Parts, Recurrence
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap
from compiler.kernels.shapes import verify_array
from compiler.nests.body import Body
from emu.isa.dtypes import DType

MADE = ("y", "h", "c")  # what can be told of each step: the state that it gives, and the states as they are kept


@irdl_op_definition
class RecurrentOp(Kernel):
    """A recurrence over the rows of its first input, which are steps of time: [time][batch][gates * size].

    Further inputs are the states `given`, [directions][batch][size], of which row `direction` begins the recurrence;
    `initial_h` and `initial_c` are such states [batch, size] as constants. Of each step it makes what `makes` lists.
    `weights` [gates * size, size] stand in crossbars of `crossbar` rows and columns. With `reverse` 1 the last step comes
    first. Behind the `lengths` of the samples states stay as they are.
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
    lengths = opt_prop_def(DenseArrayBase)

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

    # verifier ---------------------------------------------------------------------------------------------------

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Gates of each step, states to begin with, and results that are states of each step."""
        verify_name("cell", self.cell, CELLS)
        cell, made, given = self.row, [name.data for name in self.makes], [name.data for name in self.given]
        states = ("y", *cell.states)
        if not made or len(set(made)) < len(made) or not set(made) <= set(states) or len(outputs) != len(made):
            raise VerifyException(f"makes must hold one of {', '.join(states)} for each of the {len(outputs)} outputs")
        constant = [state for state in cell.states if getattr(self, f"initial_{state}", None) is not None]
        if len(set(given + constant)) < len(given + constant) or not set(given) <= set(cell.states):
            raise VerifyException(f"given must hold states of {', '.join(cell.states)}, each one once")
        if len(inputs) != 1 + len(given) or len(set(outputs)) != 1:
            raise VerifyException(f"takes {1 + len(given)} inputs to outputs of one shape, not {len(inputs)}")
        (time, *_), size, batch = outputs[0], self.size, self.batch
        if 0 in outputs[0] or inputs[0] != (time, batch, cell.gates * size):
            raise VerifyException(f"takes {[time, batch, cell.gates * size]} gates, not {list(inputs[0])}")
        self._verify_numbers(time)
        at = self.direction.value.data
        for shape in inputs[1:]:
            if len(shape) != 3 or shape[1:] != (batch, size) or not 0 <= at < shape[0]:
                raise VerifyException(f"begins with row {at} of states [{batch}][{size}], which {list(shape)} has not")
        verify_bodies(self.bodies, cell, 1, self.peepholes is not None, self.lengths is not None)

    def _verify_numbers(self, time: int) -> None:
        crossbar, lengths = attr.values(self.crossbar), attr.values(self.lengths)
        if len(crossbar) != 2 or min(crossbar) < 1:
            raise VerifyException("crossbar must hold the rows and columns of a crossbar")
        if self.reverse.value.data not in (0, 1):
            raise VerifyException("reverse must be 0 or 1")
        if self.lengths is not None and (len(lengths) != self.batch or min(lengths) < 0 or max(lengths) > time):
            raise VerifyException(f"lengths must hold {self.batch} numbers of steps, at most {time}")
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

    # what it needs ----------------------------------------------------------------------------------------------

    def tiles(self, product: Multiply) -> tuple[list[int], list[int]]:
        """Heights of the row tiles and widths of the column tiles of a product's array group."""
        rows, cols = attr.values(self.crossbar)
        low, high = product.gates
        return _cut(self.size, rows), _cut((high - low) * self.size, cols)

    @property
    def crossbars(self) -> int:
        """Row tiles times column tiles, of all products."""
        return sum(len(rows) * len(cols) for rows, cols in map(self.tiles, self.row.products))

    @property
    def macs(self) -> int:
        """Steps times samples times weights."""
        return self.output_shapes[0][0] * self.batch * self.row.gates * self.size * self.size

    def row_maps(self) -> list[RowMap]:
        """A step needs its gates; of the states to begin with, a row."""
        time, *states = self.input_shapes
        at = self.direction.value.data
        return [RowMap(time[0]), *(RowMap(shape[0], scale=0, before=-at) for shape in states)]

    def variant(self, first: int, count: int) -> bool:
        """The first rows begin with the states to begin with, all others with those of the rows before."""
        return first == 0

    @property
    def plans(self) -> list[tuple[Body, tuple[str, ...], BodyPlan]]:
        """The bodies, the vectors that each works on, and where its values stand."""
        vectors = body_operands(self.row, self.peepholes is not None, self.lengths is not None)
        return [
            (body, names, plan_body(body, len(names), keep_last=False))
            for body, names in zip(read_bodies(self.bodies), vectors, strict=True)
        ]

    def slots(self) -> list[DType]:
        """The types of vectors for values between steps: as many of each type as the body that needs most."""
        kinds = [list(plan.slots) for _, _, plan in self.plans]
        types = dict.fromkeys(kind for slots in kinds for kind in slots)
        return [kind for kind in types for _ in range(max(slots.count(kind) for slots in kinds))]

    def scratch_shapes(self, streamed: bool) -> list[Shape]:
        """The states, the gates of one sample, what else a cell has, and values between steps."""
        size, cell = self.size, self.row
        states: list[Shape] = [(1, self.batch, size)] * len(cell.states)
        others: list[Shape] = [(1, 1, size)] * len(cell.others)
        return [*states, (1, 1, cell.gates * size), *others, *[(1, 1, min(CHUNK, size))] * len(self.slots())]

    def scratch_types(self, streamed: bool) -> list[DType]:
        """Float32, but for what comparisons make."""
        return [DType.f32] * (len(self.row.states) + 1 + len(self.row.others)) + self.slots()

    @property
    def kept(self) -> Sequence[SSAValue]:
        """The states."""
        return self.scratch[: len(self.row.states)]

    @property
    def constant_names(self) -> list[str]:
        """What its constants are, in order: those by name, then the numbers of each body."""
        names = [name for name in ("bias", "hidden_bias", "peepholes") if getattr(self, name) is not None]
        names += [name for name in ("initial_h", "initial_c") if getattr(self, name) is not None]
        return [*names, MASK] if self.lengths is not None else names

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """Biases, peepholes, states to begin with, the steps that each sequence has, and numbers of the bodies."""
        arrays = list[Array]()
        for name in self.constant_names:
            if name == MASK:
                steps = np.arange(self.output_shapes[0][0])[:, None, None]
                arrays.append(steps < np.array(attr.values(self.lengths))[None, :, None])
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
        names, count = self.constant_names, len(cell.states)
        vectors = dict(zip((*cell.states, "gates", *cell.others), scratch, strict=False))
        vectors |= zip(names, constants, strict=False)
        recurrence = Recurrence(
            emitter,
            cell,
            Parts(vectors, scratch[count + 1 + len(cell.others) :], constants[len(names) :]),
            self.plans,
            [emitter.group(*self.tiles(product), self._weights(emitter, product)) for product in cell.products],
            self.size,
        )
        if outputs[0].rows.first == 0:
            rows = dict(zip((name.data for name in self.given), inputs[1:], strict=True))
            recurrence.begin(rows, self.direction.value.data)
        made = dict(zip((name.data for name in self.makes), outputs, strict=True))
        recurrence.run(inputs[0], made, self.backwards)

    def _weights(self, emitter: Emitter, product: Multiply) -> Callable[[], Array]:
        key, (low, high), size = self.weights.data, product.gates, self.size

        def make() -> Array:
            return np.ascontiguousarray(emitter.weights.get(key)[low * size : high * size].T)

        return make


def _cut(total: int, part: int) -> list[int]:
    return [min(part, total - at) for at in range(0, total, part)]

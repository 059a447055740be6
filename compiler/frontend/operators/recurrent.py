"""Imports LSTM, GRU and RNN: a product for the inputs of all steps of time, then the recurrence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.cell_bodies import body_operands, body_types
from compiler.dialects.cells import CELLS, LENGTHS, LINEAR, PEEPHOLES, Cell
from compiler.dialects.nest_attributes import Steps, body_attribute
from compiler.dialects.onnx import MatMulOp, TransposeOp
from compiler.dialects.recurrent import FORWARD, REVERSE, RecurrentOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.recurrent_bodies import bodies_of
from compiler.nests.expression import body_of
from emu.isa.dtypes import DType

_DIRECTIONS = {FORWARD: (FORWARD,), REVERSE: (REVERSE,), "bidirectional": (FORWARD, REVERSE)}
_X, _W, _R, _B, _LENGTHS, _INITIAL, _PEEPHOLES = 0, 1, 2, 3, 4, 5, 7  # places of the operands


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Steps of time, samples of a batch, numbers per input, directions, gates of the cell, numbers of a state."""

    time: int
    batch: int
    inputs: int
    directions: tuple[str, ...]
    gates: int
    hidden: int


def recurrent(node: Node, scope: Scope) -> tuple[SSAValue, ...]:
    """The operators LSTM, GRU and RNN, with constant weights: all states, the last one, and that of an LSTM's cell."""
    name = _cell_name(node)
    cell, layout = CELLS[name], node.integer("layout", 0)
    if layout not in (0, 1):
        node.refuse(f"has layout {layout}, which is neither 0 (time first) nor 1 (batch first)")
    x = _time_first(node, scope, scope.value(node, _X), layout, "x")
    weights, r = scope.constant(node, _W, "weights"), scope.constant(node, _R, "recurrent weights")
    sizes = _sizes(node, cell, shape_of(x), weights, r)
    operands, roles = [_product(node, scope, x, weights, sizes, at) for at in range(len(sizes.directions))], list[str]()
    roles += ["x"] * len(operands)
    for role, value in {
        "r": scope.value(node, _R),
        **_biases(node, scope, sizes, LINEAR in cell.others),
        **_initial(node, scope, cell, sizes, layout),
        **_peepholes(node, scope, cell, sizes),
        **_lengths(node, scope, sizes),
    }.items():
        roles.append(role)
        operands.append(value)
    properties = {
        "cell": name,
        "roles": roles,
        "directions": sizes.directions,
        "bodies": ArrayAttr(_bodies(node, name, "peepholes" in roles, LENGTHS in roles, len(sizes.directions))),
    }
    states = (len(sizes.directions), sizes.batch, sizes.hidden)
    shapes = [(sizes.time, *states), states, states][: len(node.outputs)]
    if len(node.outputs) > 1 + len(cell.states):
        node.refuse(f"has {len(node.outputs)} outputs, but makes {1 + len(cell.states)}")
    inner = replace(node, outputs=tuple(f"{name}/time_first" if name else "" for name in node.outputs))
    for role, value in zip(roles, operands, strict=True):
        if role != LENGTHS and dtype_of(value) != DType.f32:
            node.refuse(f"computes in float32 only, but has {role} of {dtype_of(value).numpy}: convert the model")
    types = [DType.f32] * len(shapes)
    made = scope.emit_all(RecurrentOp, inner if layout else node, operands, shapes, properties, types)
    return tuple(_named(node, scope, value, at) for at, value in enumerate(made)) if layout else made


def _cell_name(node: Node) -> str:
    linear = node.kind == "GRU" and node.integer("linear_before_reset", 0)
    return "gru_linear" if linear else node.kind.lower()


def _sizes(node: Node, cell: Cell, x: Sequence[int], weights: Array, r: Array) -> _Sizes:
    """What the shapes of its operands say; refused unless they fit."""
    direction = node.text("direction", FORWARD).lower()
    if direction not in _DIRECTIONS:
        node.refuse(f"has direction '{direction}': it must be {', '.join(_DIRECTIONS)}")
    if len(x) != 3 or 0 in x:
        node.refuse(f"has an input of shape {list(x)}: three dimensions with elements are needed")
    hidden = int(r.shape[-1]) if r.ndim else 0
    sizes = _Sizes(x[0], x[1], x[2], _DIRECTIONS[direction], cell.gates, hidden)
    count = len(sizes.directions)
    wanted = (count, cell.gates * hidden, x[2]), (count, cell.gates * hidden, hidden)
    if not hidden or (weights.shape, r.shape) != wanted:
        given = f"{list(weights.shape)} and {list(r.shape)}"
        node.refuse(f"has weights of shape {given}, but its input and direction need {list(wanted[0])} and {wanted[1]}")
    if node.integer("hidden_size", hidden) != hidden:
        node.refuse(f"has hidden_size {node.integer('hidden_size', 0)}, but weights for {hidden}")
    return sizes


# operands -----------------------------------------------------------------------------------------------------------


def _time_first(node: Node, scope: Scope, value: SSAValue, layout: int, role: str) -> SSAValue:
    """A tensor [batch, other, ...] of layout 1 as [other, batch, ...]."""
    shape = shape_of(value)
    if not layout or len(shape) != 3:
        return value
    result = (shape[1], shape[0], shape[2])
    return scope.emit(TransposeOp, node, [value], result, {"perm": (1, 0, 2)}, part=role)


def _named(node: Node, scope: Scope, value: SSAValue, at: int) -> SSAValue:
    """Result number `at` with the batch first, under its name in the file."""
    rank = len(shape_of(value))
    perm = (2, 0, 1, 3) if rank == 4 else (1, 0, 2)
    target = replace(node, outputs=(node.outputs[at] or f"{node.name}/output{at}",))
    shape = [shape_of(value)[axis] for axis in perm]
    properties = {"perm": perm}
    return scope.emit(TransposeOp, replace(target, name=f"{node.name}/batch_first{at}"), [value], shape, properties)


def _product(node: Node, scope: Scope, x: SSAValue, weights: Array, sizes: _Sizes, at: int) -> SSAValue:
    """The gates of all steps of time, as far as the inputs make them, for one direction: one product."""
    part = f"inputs_{sizes.directions[at]}"
    w = scope.weights(f"{node.inputs[_W]}/{sizes.directions[at]}", weights[at].T, weights[at].T)
    return scope.emit(MatMulOp, node, [x, w], (sizes.time, sizes.batch, sizes.gates * sizes.hidden), part=part)


def _lengths(node: Node, scope: Scope, sizes: _Sizes) -> dict[str, SSAValue]:
    """The steps of each sample of the batch; none if they are known, and all have all of them."""
    if not node.has_input(_LENGTHS):
        return {}
    name = node.inputs[_LENGTHS]
    if name in scope.constants:
        lengths = [int(number) for number in scope.array(name).reshape(-1)]
        if len(lengths) != sizes.batch or min(lengths) < 0 or max(lengths) > sizes.time:
            node.refuse(f"has sequence_lens {lengths}, not {sizes.batch} numbers of steps up to {sizes.time}")
        if set(lengths) == {sizes.time}:
            return {}
    value = scope.value(node, _LENGTHS)
    if (dtype_of(value), shape_of(value)) != (DType.i32, (sizes.batch,)):
        node.refuse(f"has sequence_lens of shape {list(shape_of(value))}, not {sizes.batch} int32 numbers")
    return {LENGTHS: value}


def _biases(node: Node, scope: Scope, sizes: _Sizes, linear: bool) -> dict[str, SSAValue]:
    """Both biases as one; that of a linear part, which another gate scales, stays by itself."""
    if not node.has_input(_B):
        return {}
    array, count = scope.constant(node, _B, "bias"), sizes.gates * sizes.hidden
    if array.shape != (len(sizes.directions), 2 * count):
        node.refuse(f"has a bias of shape {list(array.shape)}, not {[len(sizes.directions), 2 * count]}")
    inputs, recurrent = array[:, :count], array[:, count:]
    kept = count - sizes.hidden if linear else count
    total = np.concatenate([inputs[:, :kept] + recurrent[:, :kept], inputs[:, kept:]], axis=1)
    made = {"bias": scope.weights(f"{node.inputs[_B]}/sum", total)}
    if linear:
        made["hidden_bias"] = scope.weights(f"{node.inputs[_B]}/hidden", recurrent[:, kept:])
    return made


def _initial(node: Node, scope: Scope, cell: Cell, sizes: _Sizes, layout: int) -> dict[str, SSAValue]:
    made = dict[str, SSAValue]()
    for index, state in enumerate(cell.states, start=_INITIAL):
        if not node.has_input(index):
            continue
        value = scope.value(node, index)
        wanted = len(sizes.directions), sizes.batch, sizes.hidden
        given = (wanted[1], wanted[0], wanted[2]) if layout else wanted
        if shape_of(value) != given:
            node.refuse(f"has an initial {state} of shape {list(shape_of(value))}, not {list(given)}")
        name = node.inputs[index]
        if layout and name in scope.constants:
            value = scope.weights(f"{name}/time_first", scope.array(name).transpose(1, 0, 2))
        made[f"initial_{state}"] = (
            value if name in scope.constants else _time_first(node, scope, value, layout, f"initial_{state}")
        )
    return made


def _peepholes(node: Node, scope: Scope, cell: Cell, sizes: _Sizes) -> dict[str, SSAValue]:
    if not cell.takes_peepholes or not node.has_input(_PEEPHOLES):
        return {}
    array, wanted = scope.constant(node, _PEEPHOLES, "peepholes"), (len(sizes.directions), PEEPHOLES * sizes.hidden)
    if array.shape != wanted:
        node.refuse(f"has peepholes of shape {list(array.shape)}, not {list(wanted)}")
    return {"peepholes": scope.value(node, _PEEPHOLES)}


def _bodies(node: Node, name: str, peepholes: bool, masked: bool, directions: int) -> list[Steps]:
    """The functions of the cell, written with the activations of each direction."""
    written = bodies_of(node, name, directions, masked)
    operands = body_operands(CELLS[name], peepholes, masked) * directions
    return [
        body_attribute(body_of(body_types(vectors), write)[0]) for vectors, write in zip(operands, written, strict=True)
    ]


OPERATORS = dict.fromkeys(("GRU", "LSTM", "RNN"), recurrent)

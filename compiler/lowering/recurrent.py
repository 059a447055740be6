"""Recurrent layers: a layer per direction that goes over all steps of time, others that put their states together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.dialects.cells import LENGTHS
from compiler.dialects.parts import parts
from compiler.dialects.recurrent import REVERSE, RecurrentOp
from compiler.dialects.types import dtype_of
from compiler.kernels.concat import ConcatOp
from compiler.kernels.recurrent import MADE
from compiler.kernels.recurrent import RecurrentOp as RecurrentKernel
from compiler.lowering.feature_map import FeatureMap, place_shape
from compiler.lowering.layer import LayerBuilder
from compiler.lowering.lowering import Lowering
from compiler.mapping.tiling.matrix import capacity
from compiler.session.provenance import UNUSED
from emu.errors import CompileError, option
from emu.isa.dtypes import DType
from emu.program.form import Form
from emu.wording import counted

_ARRAYS = {"r": "weights", "bias": "bias", "hidden_bias": "hidden_bias", "peepholes": "peepholes"}  # -> property


@dataclass(frozen=True, slots=True)
class _Results:
    """The results of an operation that are used: all states, and the last one of each kind, by name."""

    states: SSAValue | None
    last: Mapping[str, SSAValue]
    names: Mapping[SSAValue, str]

    @staticmethod
    def of(lowering: Lowering, op: RecurrentOp) -> _Results:
        used, names = dict[str, SSAValue](), dict[SSAValue, str]()
        for kind, tensor, result in zip(MADE, op.tensor_names, op.results, strict=False):
            if list(result.uses):
                used[kind], names[result] = result, tensor
            else:
                lowering.context.provenance.lost(tensor, UNUSED)
        return _Results(used.pop("y", None), used, names)

    def made(self, ends_early: bool) -> list[str]:
        """What the recurrence has to tell of each step; its last state is that of the last step, if there is no end."""
        kept = {name if name == "c" or ends_early else "y" for name in self.last}
        return [name for name in MADE if name in kept or (name == "y" and self.states is not None)]


def lower_recurrent(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """A recurrence on one core per direction, which holds its weights; raises CompileError if it cannot."""
    recurrent = cast(RecurrentOp, op)
    results = _Results.of(lowering, recurrent)
    made = results.made(recurrent.optional(LENGTHS) is not None)
    if not made:
        return
    directions, sequences = len(recurrent.directions), dict[str, list[SSAValue]]()
    for at in range(directions):
        for name, tile in zip(made, _recur(lowering, recurrent, at, made, results), strict=True):
            sequences.setdefault(name, []).append(tile)
    if results.states is not None:
        form = _states_form(attr.shape_of(results.states))
        origins = [(0, at, 0, 0)[: len(form.sizes)] for at in range(directions)]
        value = sequences["y"][0]
        if directions > 1:
            boxes = [(origin, (0,) * len(form.sizes), attr.shape_of(value)) for origin in origins]
            value = _joined(lowering, op, sequences["y"], boxes, results.names[results.states], form)
        lowering.maps[results.states] = FeatureMap(results.names[results.states], form, value)
    for name, result in results.last.items():
        _last(lowering, recurrent, sequences["y" if name not in made else name], result, results.names[result])


def _states_form(shape: tuple[int, ...]) -> Form:
    """All states [time, directions, batch, size], time outermost: that is what goes row by row."""
    layout = ("H", "", "W", "C") if shape[1] == 1 else ("D", "H", "W", "C")
    return place_shape(shape, layout, 3 if shape[1] == 1 else 4)


def _last(lowering: Lowering, op: RecurrentOp, tiles: Sequence[SSAValue], result: SSAValue, name: str) -> None:
    """The states after the last step of each direction [directions, batch, size]."""
    sizes = attr.shape_of(tiles[0])
    axes = ("H", "W", "C") if len(sizes) == 3 else ("D", "W", "C")
    form = place_shape(attr.shape_of(result), axes, len(sizes))
    boxes: list[tuple[Sequence[int], Sequence[int], Sequence[int]]] = []
    for at, direction in enumerate(op.directions):
        row = 0 if direction.data == REVERSE else sizes[0] - 1
        rest = (0,) * (len(sizes) - 1)
        boxes.append(((at, *rest), (row, *rest), (1, *sizes[1:])))
    value = _joined(lowering, op, tiles, boxes, name, form)
    lowering.maps[result] = FeatureMap(name, form, value)


def _joined(
    lowering: Lowering,
    op: onnx.OnnxOp,
    tiles: Sequence[SSAValue],
    boxes: Sequence[tuple[Sequence[int], Sequence[int], Sequence[int]]],
    name: str,
    form: Form,
) -> SSAValue:
    """One tile of boxes, each (origin, start, sizes), of tiles."""
    builder = LayerBuilder(lowering.into, op.node.data)
    made = builder.kernel(ConcatOp, [builder.argument(tile) for tile in tiles], form.sizes, {"parts": parts(boxes)})
    return builder.finish(made, name, form)


# one direction ------------------------------------------------------------------------------------------------------


def _recur(lowering: Lowering, op: RecurrentOp, at: int, made: Sequence[str], results: _Results) -> Sequence[SSAValue]:
    """Append the recurrence of direction `at`; returns what it makes, a tile [time]([1])[batch][size] for each."""
    x = lowering.feature_map(op, op.named("x")[at])
    x = lowering.relayout(op, x, place_shape(x.shape, ("H", "W", "C")))
    (time, batch, _), size = x.shape, attr.shape_of(op.named("r")[0])[-1]
    builder = LayerBuilder(lowering.into, op.node.data)
    inputs, given, properties = [builder.tensor(x)], list[str](), _properties(lowering, op, at)
    for role, name in (*((f"initial_{state}", state) for state in op.row.states), (LENGTHS, LENGTHS)):
        value = op.optional(role)
        if value is None:
            continue
        if isinstance(value.owner, onnx.ConstantOp):
            properties[role] = value.owner.key if name == LENGTHS else _array(lowering, value, at)
        else:
            source, axes = lowering.feature_map(op, value), ("C",) if name == LENGTHS else ("H", "W", "C")
            inputs.append(builder.tensor(lowering.relayout(op, source, place_shape(source.shape, axes))))
            given.append(name)
    properties |= {"given": attr.strings(given), "makes": attr.strings(made)}
    middle = (batch,) if len(op.directions) == 1 else (1, batch)
    tiles = [((time, *middle, size), dtype_of(x.tile))] * len(made)
    values = builder.typed(RecurrentKernel, inputs, tiles, properties)
    kernel = cast(RecurrentKernel, builder.block.last_op)
    _check_room(lowering, op, kernel)
    named = len(op.directions) == 1 and results.states is not None
    form = _states_form((time, 1, batch, size))
    finished = [
        (value, results.names[results.states], form)
        if name == "y" and named and results.states is not None
        else (value, "", None)
        for name, value in zip(made, values, strict=True)
    ]
    return builder.finish_all(finished)


def _properties(lowering: Lowering, op: RecurrentOp, at: int) -> dict[str, Attribute]:
    """Cell, bodies and arrays of one direction."""
    count, arch = len(op.bodies) // len(op.directions), lowering.context.arch
    properties: dict[str, Attribute] = {
        "cell": op.cell,
        "bodies": ArrayAttr(op.bodies.data[at * count : (at + 1) * count]),
        "crossbar": attr.ints((arch.crossbar.rows, arch.columns(DType.f32))),
        "reverse": attr.integer(op.directions.data[at].data == REVERSE),
        "direction": attr.integer(at),
    }
    for role, name in _ARRAYS.items():
        value = op.optional(role)
        if value is not None:
            properties[name] = _array(lowering, value, at)
    return properties


def _array(lowering: Lowering, value: SSAValue, at: int) -> StringAttr:
    """The key of the part of a constant that belongs to a direction."""
    key = cast(onnx.ConstantOp, value.owner).key.data
    return StringAttr(lowering.weights.derive(f"{key}/{at}", lowering.weights.get(key)[at], key))


def _check_room(lowering: Lowering, op: RecurrentOp, kernel: RecurrentKernel) -> None:
    """Raise CompileError unless one core can hold the weights of a recurrence."""
    arch, need = lowering.context.arch, kernel.crossbars
    room = capacity(arch, [DType.f32])
    if need > room:
        raise CompileError(
            f"{op.label}: its recurrent weights {list(attr.shape_of(op.named('r')[0])[1:])} take"
            f" {counted(need, 'crossbar')} of {arch.crossbar.rows} x {arch.columns(DType.f32)} on one core, but a core"
            f" of architecture {arch.name} holds {room} of float32 weights: use an {option('arch')} with a larger"
            " core.crossbars, or larger crossbars"
        )

"""Counts the device calls of a lowered program, by its loops: without data, and without every iteration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, cast

import numpy as np
from xdsl.dialects import affine, arith, func, scf, tensor
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from compiler.dialects import cim
from compiler.dialects.linalg.generic import GenericOp
from compiler.interpreter.host.tensors import DYNAMIC, affine_value, reduced, shape_of
from compiler.interpreter.host.values import numpy_type
from compiler.offload.program import Lowered
from emu.arch import Arch
from emu.errors import InputError
from launch.devices.counters import DeviceCounts
from launch.offload.timeline import DeviceTimeline, HeldTile
from launch.timing.wear import lifetime

Values = dict[SSAValue, Any]  # numbers, shapes of slices, tiles, and when futures are there


@dataclass(frozen=True, slots=True)
class CallCounts:
    """`crossbars` of `cores` are those that were written; `use` is the share of their cells that matrices took.

    `time_ps` is None on a chip that says nothing of its times, `use` if nothing was written.
    """

    counts: DeviceCounts
    cores: int
    crossbars: int
    time_ps: int | None
    use: float | None
    lifetime_years: float | None


def count(lowered: Lowered, arch: Arch, cores: int) -> CallCounts:
    """What the calls of a program add up to, and the time of the chip, as `DeviceTimeline` has it.

    Raises InputError where calls depend on data.
    """
    timeline = DeviceTimeline(arch, cores)
    walk = _Walk(lowered, timeline)
    walk.function(lowered.program.signature.function.sym_name.data, {})
    tally, time = timeline.tally, timeline.end if arch.timing is not None else None
    years = lifetime(arch, sum(timeline.places.values()), tally.counts.weights, time)
    used = len({core for core, _ in timeline.places}), len(timeline.places)
    return CallCounts(tally.counts, *used, time, tally.weights / tally.room if tally.room else None, years)


class _Walk:
    """Walks the operations that calls depend on."""

    def __init__(self, lowered: Lowered, timeline: DeviceTimeline) -> None:
        named = {op.sym_name.data: op for op in lowered.module.walk() if isinstance(op, func.FuncOp)}
        self._functions, self._timeline = named, timeline
        self._tiles = list[HeldTile]()
        self._meanings: Mapping[type[Operation], Callable[[Any, Values], None]] = {
            arith.ConstantOp: self._constant,
            affine.ApplyOp: self._affine,
            affine.MinOp: self._affine,
            tensor.ExtractSliceOp: self._slice,
            scf.ForOp: self._for,
            func.CallOp: self._call,
            cim.AcquireOp: self._acquire,
            cim.WriteOp: self._write,
            cim.GemmOp: self._gemm,
            cim.BarrierOp: self._barrier,
            cim.ReleaseOp: self._release,
        }

    def function(self, name: str, values: Values) -> None:
        """Walk a function."""
        self._block(self._functions[name].body.block, values)

    def _block(self, block: Block, values: Values) -> None:
        for op in block.ops:
            meaning = self._meanings.get(type(op))
            if meaning is not None:
                meaning(op, values)
            elif not isinstance(op, GenericOp) and any(type(inner) in _CALLS for inner in op.walk()):
                raise InputError(f"calls inside of {op.name} depend on data, and are not counted: run the program")

    def _constant(self, op: arith.ConstantOp, values: Values) -> None:
        if isinstance(op.value, IntegerAttr):
            values[op.result] = cast(Any, op.value).value.data

    def _affine(self, op: Any, values: Values) -> None:
        values[op.results[0]] = _affine(op, values)

    def _slice(self, op: tensor.ExtractSliceOp, values: Values) -> None:
        sizes = iter(op.sizes)
        static = op.static_sizes.get_values()
        made = [values[next(sizes)] if size == DYNAMIC else int(size) for size in static]
        values[op.result] = reduced(made, shape_of(op.result))

    def _call(self, op: func.CallOp, values: Values) -> None:
        self.function(op.callee.root_reference.data, values)

    # loops

    def _for(self, op: scf.ForOp, values: Values) -> None:
        low, high, step = (self._number(value, values) for value in (op.lb, op.ub, op.step))
        turns = np.arange(low, high, step)
        counter, block = op.body.block.args[0], op.body.block
        columns = [_column(value, op, turns, values) for value in _deciding(block) if counter in _leaves(value)]
        kinds = list(zip(*columns, strict=True)) if columns else [()] * len(turns)
        place = 0
        for _, alike in groupby(kinds):  # turns one after the other that do the same
            times = len(list(alike))
            values[counter] = int(turns[place])
            turn = partial(self._block, block, values)
            self._timeline.repeated(turn, self._written, times)
            place += times

    def _written(self) -> Sequence[Any]:
        return [tile.written for tile in self._tiles]

    def _number(self, value: SSAValue, values: Values) -> int:
        if value not in values:
            raise InputError("the turns of a loop depend on data, and are not counted: run the program")
        return int(values[value])

    # calls

    def _acquire(self, op: cim.AcquireOp, values: Values) -> None:
        kind: Any = op.crossbar.type
        rows, cols = kind.matrix.get_shape()
        tile = self._timeline.acquire(rows, cols, numpy_type(kind.matrix), numpy_type(kind.sums))
        values[op.crossbar] = tile
        self._tiles.append(tile)

    def _write(self, op: cim.WriteOp, values: Values) -> None:
        rows, cols = self._shape(op.operands[1], values)
        self._timeline.write(values[op.operands[0]], rows, cols)

    def _gemm(self, op: cim.GemmOp, values: Values) -> None:
        vectors, _ = self._shape(op.operands[1], values)
        values[op.results[0]] = self._timeline.gemm(values[op.operands[0]], vectors)

    def _barrier(self, op: cim.BarrierOp, values: Values) -> None:
        self._timeline.wait(values[op.operands[0]])

    def _release(self, op: cim.ReleaseOp, values: Values) -> None:
        tile = values[op.operands[0]]
        self._timeline.release(tile)
        self._tiles.remove(tile)

    def _shape(self, value: SSAValue, values: Values) -> Sequence[int]:
        shape = values.get(value) or shape_of(value)
        if min(shape) < 0:
            raise InputError("the size of a matrix depends on data, and is not counted: run the program")
        return shape


_CALLS = (cim.AcquireOp, cim.WriteOp, cim.GemmOp, cim.BarrierOp, cim.ReleaseOp)


def _deciding(block: Block) -> list[SSAValue]:
    """The numbers that decide what a turn does: sizes of slices, and bounds of the loops inside."""
    found = dict[SSAValue, None]()
    for op in block.walk():
        if isinstance(op, tensor.ExtractSliceOp):
            found |= dict.fromkeys(op.sizes)
        elif isinstance(op, scf.ForOp):
            found |= dict.fromkeys((op.lb, op.ub, op.step))
    return list(found)


def _affine(op: Any, values: Mapping[SSAValue, Any]) -> Any:
    given = op.map.data
    args = [np.asarray(values[operand], np.int64) for operand in op.operands]
    results = [affine_value(each, args[: given.num_dims], args[given.num_dims :]) for each in given.results]
    made = np.minimum.reduce(np.broadcast_arrays(*results)) if isinstance(op, affine.MinOp) else results[0]
    return made if made.ndim else int(made)


def _leaves(value: SSAValue) -> set[SSAValue]:
    """What a number is computed of that is no constant."""
    owner = value.owner
    if isinstance(owner, affine.ApplyOp | affine.MinOp):
        return {leaf for operand in owner.operands for leaf in _leaves(operand)}
    return set() if isinstance(owner, arith.ConstantOp) else {value}


def _column(value: SSAValue, loop: scf.ForOp, turns: np.ndarray, values: Values) -> list[int]:
    """A number in each turn; of those that depend on what is inside, too, that of the turn: no two do the same."""
    counter = loop.body.block.args[0]
    others = _leaves(value) - {counter}
    if any(_inside(leaf, loop) for leaf in others) or others - values.keys():
        return turns.tolist()
    found = _value(value, {counter: turns} | {leaf: values[leaf] for leaf in others})
    return np.broadcast_to(found, turns.shape).tolist()


def _inside(value: SSAValue, loop: scf.ForOp) -> bool:
    return loop.is_ancestor(value.owner)


def _value(value: SSAValue, leaves: Values) -> Any:
    """A number by those that it is computed of."""
    owner = value.owner
    if value in leaves:
        return leaves[value]
    if isinstance(owner, arith.ConstantOp):
        return cast(Any, owner.value).value.data
    assert isinstance(owner, Operation)
    return _affine(owner, {operand: _value(operand, leaves) for operand in owner.operands})

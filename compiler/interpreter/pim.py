"""Dialect `pim`: cores that take turns, each until it waits for a message; local and global memory are bytes."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation, SSAValue

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.kernel import KernelOp
from compiler.dialects.rows import Rows, rows_of
from compiler.dialects.types import dtype_of, element_dtype
from compiler.interpreter.calls import KernelCall, TileRows
from compiler.interpreter.dispatch import functions_by_kind
from compiler.interpreter.kernels import run_kernel
from compiler.interpreter.structure import key_of
from compiler.interpreter.world import MadeValue, Undefined, World
from emu.program.form import box_shape, box_slices

UNDEFINED = 0xFF  # bytes that nobody has written: NaN as floats
Waiting: TypeAlias = Generator[None]


@dataclass(slots=True)
class CoreMemory:
    """The buffers of a core; those with addresses share `memory`, and so may stand in each other's way."""

    number: int
    memory: Array
    buffers: dict[SSAValue, Array] = field(default_factory=dict[SSAValue, Array])
    turn: int = 0  # of the loop around the present operation
    completed: int = 0

    def add(self, op: pim.AllocOp | pim.ConstantOp) -> Array:
        """The buffer that an operation declares."""
        shape, dtype = attr.shape_of(op.buffer), dtype_of(op.buffer).numpy
        if op.address is None:
            raw = np.full(attr.bytes_of(op.buffer), UNDEFINED, np.uint8)
            self.buffers[op.buffer] = np.ndarray(shape, dtype, raw)
        else:
            self.buffers[op.buffer] = np.ndarray(shape, dtype, self.memory, op.address.value.data)
        return self.buffers[op.buffer]

    def slots(self, rows: Rows, depth: int) -> Array:
        """The slots of a buffer of `depth` rows in which rows stand in this turn."""
        first = rows.first + rows.step * self.turn
        return np.arange(first, first + rows.count) % depth


@dataclass(slots=True)
class InterpretedChip:
    """All cores, global memory, and the messages that are on their way from core to core."""

    module: ModuleOp
    world: World
    memory: Array = field(init=False)
    cores: dict[int, CoreMemory] = field(default_factory=dict[int, CoreMemory])
    messages: dict[tuple[int, int], deque[Array]] = field(init=False)
    counts: dict[tuple[object, ...], int] = field(init=False)
    waits: dict[int, Operation] = field(default_factory=dict[int, Operation])

    def __post_init__(self) -> None:
        self.messages, self.counts = defaultdict(deque), defaultdict(int)
        tensors = [op for op in self.module.ops if isinstance(op, pim.TensorOp)]
        ends = [end for op in tensors for _, _, end in _tiles(op)]
        self.memory = np.full(max(ends, default=0), UNDEFINED, np.uint8)

    def run(self, interpreter: Interpreter) -> None:
        """One sample: inputs into global memory, all cores to their ends, outputs out of it."""
        for op in self.module.ops:
            if isinstance(op, pim.TensorOp) and op.kind.data == "input":
                physical = op.form.data.physical(self.world.inputs[op.tensor.data])
                for tile, (box, _, _) in zip(self._views(op), _tiles(op), strict=True):
                    tile[...] = physical[box_slices(box)]
        cores = [op for op in self.module.ops if isinstance(op, pim.CoreOp)]
        running = {op.coreId.value.data: self._core(interpreter, op) for op in cores}
        while running:
            done = {number for number, core in running.items() if not self._advance(core)}
            running = {number: core for number, core in running.items() if number not in done}
            if running and not done and not self._can_go_on(running):
                raise Undefined(next(iter(self.waits.values())), self._stands_still(running))
        for op in self.module.ops:
            if isinstance(op, pim.TensorOp) and op.kind.data == "output":
                form = op.form.data
                whole = np.zeros(form.sizes, element_dtype(op.element).numpy)
                for tile, (box, _, _) in zip(self._views(op), _tiles(op), strict=True):
                    whole[box_slices(box)] = tile
                self.world.outputs[op.tensor.data] = form.logical(whole)

    def _views(self, op: pim.TensorOp) -> Iterator[Array]:
        dtype = element_dtype(op.element).numpy
        for box, address, _ in _tiles(op):
            yield np.ndarray(box_shape(box), dtype, self.memory, address)

    @staticmethod
    def _advance(core: Waiting) -> bool:
        """Let a core run until it waits; whether it does."""
        return next(core, True) is None

    def _can_go_on(self, running: Mapping[int, Waiting]) -> bool:
        return any(self.messages[self.peer(op), number] for number, op in self.waits.items() if number in running)

    def _stands_still(self, running: Mapping[int, Waiting]) -> str:
        waits = [f"core {core} for core {self.peer(op)}" for core, op in self.waits.items() if core in running]
        return f"waits for a message that nobody sends ({', '.join(waits[:4])})"

    @staticmethod
    def peer(op: Operation) -> int:
        """The other core of a message."""
        peer: Any = op.properties["peer"]
        return peer.value.data

    def _core(self, interpreter: Interpreter, op: pim.CoreOp) -> Waiting:
        """The operations of a core, one after the other; stops where a message has not come."""
        number = op.coreId.value.data
        declared = [item for item in op.body.block.ops if isinstance(item, pim.AllocOp | pim.ConstantOp)]
        ends = [item.address.value.data + attr.bytes_of(item.buffer) for item in declared if item.address is not None]
        core = self.cores[number] = CoreMemory(number, np.full(max(ends, default=0), UNDEFINED, np.uint8))
        for item in declared:
            buffer = core.add(item)
            if isinstance(item, pim.ConstantOp):
                buffer[...] = self.world.weights.get(item.key.data).reshape(buffer.shape)
        for item in op.body.block.ops:
            if isinstance(item, pim.LoopOp):
                for core.turn in range(item.trips.value.data):
                    for inner in item.body.block.ops:
                        yield from self._run(interpreter, core, inner)
                core.turn = 0
            else:
                yield from self._run(interpreter, core, item)

    def _run(self, interpreter: Interpreter, core: CoreMemory, op: Operation) -> Waiting:
        if isinstance(op, pim.AllocOp | pim.ConstantOp | pim.HaltOp):
            return
        if isinstance(op, pim.ReceiveOp):
            self.waits[core.number] = op
            while not self.messages[self.peer(op), core.number]:
                yield None
            self.waits.pop(core.number)
        interpreter.run_op(op, tuple(core.buffers[value] for value in op.operands))


def _tiles(op: pim.TensorOp) -> list[tuple[Any, int, int]]:
    """Box, address and end of each tile in global memory."""
    size = element_dtype(op.element).size
    pairs = zip(op.boxes.data, attr.values(op.addresses), strict=True)
    return [(box, address, address + size * int(np.prod(box_shape(box)))) for box, address in pairs]


def core_of(op: Operation) -> int:
    """The core of whose program an operation is a part."""
    while not isinstance(op, pim.CoreOp):
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op.coreId.value.data


@register_impls
class PimFunctions(InterpreterFunctions):
    """Transfers of the cores of a chip, of whole buffers or of some rows."""

    def __init__(self, chip: InterpretedChip) -> None:
        self.chip = chip

    @impl(pim.LoadOp)
    def run_load(self, interpreter: Interpreter, op: pim.LoadOp, args: PythonValues) -> PythonValues:
        """Rows of a tile of global memory into the buffer."""
        self._transfer(op, args[0], inwards=True)
        return ()

    @impl(pim.StoreOp)
    def run_store(self, interpreter: Interpreter, op: pim.StoreOp, args: PythonValues) -> PythonValues:
        """Rows of the buffer into a tile of global memory."""
        rows, tile = self._transfer(op, args[0], inwards=False)
        core = core_of(op)
        told = ("store", core, self._count("store", core))
        self.chip.world.tell(MadeValue(op, tile[rows].copy(), told=told))
        return ()

    def _transfer(self, op: pim.LoadOp | pim.StoreOp, buffer: Array, inwards: bool) -> tuple[slice, Array]:
        core, depth = self.chip.cores[core_of(op)], len(buffer)
        (rows,) = rows_of(op.rows) or [Rows(0, 0, depth, depth)]
        tile = np.ndarray((rows.total, *buffer.shape[1:]), buffer.dtype, self.chip.memory, op.address.value.data)
        first = rows.first + rows.step * core.turn
        there = slice(first, first + rows.count)
        if inwards:
            buffer[core.slots(rows, depth)] = tile[there]
        else:
            tile[there] = buffer[core.slots(rows, depth)]
        return there, tile

    @impl(pim.SendOp)
    def run_send(self, interpreter: Interpreter, op: pim.SendOp, args: PythonValues) -> PythonValues:
        """The bytes of rows of all buffers."""
        core, peer = core_of(op), self.chip.peer(op)
        parts = [buffer[slots] for buffer, slots in self._parts(op, args)]
        whole = np.concatenate([part.reshape(-1) for part in parts])
        self.chip.messages[core, peer].append(whole)
        self.chip.world.tell(MadeValue(op, whole, told=("send", (core, peer), self._count("send", (core, peer)))))
        return ()

    @impl(pim.ReceiveOp)
    def run_receive(self, interpreter: Interpreter, op: pim.ReceiveOp, args: PythonValues) -> PythonValues:
        """The oldest message of the peer into rows of all buffers."""
        core, peer = core_of(op), self.chip.peer(op)
        message = self.chip.messages[peer, core].popleft().view(np.uint8)
        parts = self._parts(op, args)
        sizes = [len(slots) * buffer[:1].nbytes for buffer, slots in parts]
        if sum(sizes) != len(message):
            raise Undefined(op, f"takes {sum(sizes)} bytes of a message of {len(message)}")
        for (buffer, slots), size in zip(parts, sizes, strict=True):
            taken, message = message[:size], message[size:]
            buffer[slots] = taken.view(buffer.dtype).reshape(-1, *buffer.shape[1:])
        return ()

    def _parts(self, op: pim.MessageOp, args: PythonValues) -> list[tuple[Array, Array]]:
        core = self.chip.cores[core_of(op)]
        rows = rows_of(op.rows) or [Rows(0, 0, len(buffer), len(buffer)) for buffer in args]
        return [(buffer, core.slots(part, len(buffer))) for buffer, part in zip(args, rows, strict=True)]

    @impl(pim.WriteOp)
    def run_write(self, interpreter: Interpreter, op: pim.WriteOp, args: PythonValues) -> PythonValues:
        """Weights pass through the buffer: what it held is gone."""
        args[0].view(np.uint8)[...] = UNDEFINED
        return ()

    @impl(pim.CompleteOp)
    def run_complete(self, interpreter: Interpreter, op: pim.CompleteOp, args: PythonValues) -> PythonValues:
        """A buffer holds a box of a tensor."""
        core = self.chip.cores[core_of(op)]
        (box,) = op.boxes.data
        told = ("complete", core.number, self._count("complete", core.number))
        self.chip.world.tell(MadeValue(op, args[0].copy(), op.tensor.data, op.form.data, box, told=told))
        return ()

    def _count(self, *kind: object) -> int:
        """How many of a kind there were before."""
        self.chip.counts[kind] += 1
        return self.chip.counts[kind] - 1


def buffer_kernels(kinds: Iterable[type[KernelOp]], chip: InterpretedChip) -> InterpreterFunctions:
    """Implementations of kernels on buffers: the rows that they are to make, of the rows that are there."""
    keys = dict[tuple[KernelOp, int], tuple[object, ...]]()

    def run(interpreter: Interpreter, op: KernelOp, args: PythonValues) -> PythonValues:
        core = chip.cores[core_of(op)]
        arrays = dict(zip(op.operands, args, strict=True))
        buffers = [arrays[value] for value in (*op.inputs, *op.outputs)]
        rows = rows_of(op.rows) or [Rows(0, 0, len(buffer), len(buffer)) for buffer in buffers]
        ends = [(part.first + part.step * core.turn, part) for part in rows]
        count = len(op.inputs)
        tiles = [
            TileRows(buffer[core.slots(part, len(buffer))], first, part.total)
            for buffer, (first, part) in zip(buffers, ends[:count], strict=False)
        ]
        first, part = ends[count]
        kept = [arrays[value] for value in op.kept]
        for value in op.scratch:
            if value not in op.kept:
                arrays[value].view(np.uint8)[...] = UNDEFINED
        constants = [arrays[value] for value in op.constants]
        made = run_kernel(KernelCall(op, tiles, first, part.count, chip.world, constants, kept))
        for index, (buffer, own, array) in enumerate(zip(buffers[count:], rows[count:], made, strict=True)):
            buffer[core.slots(own, len(buffer))] = array
            if (op, index) not in keys:
                keys[op, index] = key_of(op, op, index)
            chip.world.tell(MadeValue(op, array, key=keys[op, index], rows=(first, first + part.count)))
        return ()

    return functions_by_kind(dict.fromkeys(kinds, run))

"""Granularity `image`: computes become straight-line core programs with a buffer per tile.

Messages are laid in one total order: after all computes of a node, its results go to every other core that uses them
(partial sums right before they are added). Each core's sends and receives are the projection of that order, so the
programs are free of deadlock under rendezvous and under any number of credits: both ends of the least unfinished
message have finished all earlier ones. Sending only after the whole node lets all its cores compute at once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel
from compiler.refusal import about
from compiler.transforms.core_builder import CoreBuilder, finish_cores
from compiler.transforms.global_tensors import GlobalTensors
from compiler.weights import WeightStore


def lower_images(ops: list[Operation], weights: WeightStore) -> list[Operation]:
    """The `pim` operations of `spat` operations."""
    lowering = _Lowering(ops, weights)
    lowering.run()
    return [*lowering.tensors.ops, *finish_cores(lowering.cores)]


class _Lowering:
    def __init__(self, ops: list[Operation], weights: WeightStore) -> None:
        self.weights, self.ops = weights, ops
        self.tensors = GlobalTensors(ops)
        self.cores: dict[int, CoreBuilder] = defaultdict(CoreBuilder)
        self.messages = 0
        self._node: StringAttr | None = None  # of the last compute
        # Messages to come, by tile and receiver, in their order: number, node, sender; and how many of each tile.
        self._pending: dict[tuple[SSAValue, int], tuple[int, StringAttr, int]] = {}
        self._unsent: Counter[SSAValue] = Counter()
        self._promised = 0
        self._first = min((op.core.value.data for op in ops if isinstance(op, spat.ComputeOp)), default=0)
        self._users = self._find_users()
        self._uses = self._count_uses()

    def _find_users(self) -> dict[SSAValue, list[int]]:
        """The cores that use each tile, in order of their first use."""
        users: dict[SSAValue, dict[int, None]] = defaultdict(dict)
        for op in self.ops:
            if isinstance(op, spat.ComputeOp):
                for value in op.tiles:
                    users[value][op.core.value.data] = None
        return {value: list(cores) for value, cores in users.items()}

    def _count_uses(self) -> Counter[tuple[SSAValue, int]]:
        """How many computes of a core, and network outputs, use each tile."""
        uses: Counter[tuple[SSAValue, int]] = Counter()
        for op in self.ops:
            if isinstance(op, spat.ComputeOp):
                uses.update((value, op.core.value.data) for value in op.tiles)
            elif isinstance(op, spat.OutputOp):
                uses.update((value, self._holder(value)) for value in op.tiles)
        return uses

    def _holder(self, value: SSAValue) -> int:
        """The core that stores an output's tile: its maker's, or the first for a tile of a network input."""
        owner = value.owner
        return owner.core.value.data if isinstance(owner, spat.ComputeOp) else self._first

    # walk -------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Lower all operations in order."""
        for op in self.ops:
            if isinstance(op, spat.ComputeOp):
                self._flush(op)
                with about(op):
                    self._compute(op)
                self._node = op.node
        self._flush(None)
        for op, value, address in self.tensors.outputs:
            self._output(op, value, address)

    def _output(self, op: spat.OutputOp, value: SSAValue, address: int) -> None:
        number = self._holder(value)
        buffer = self._hold(number, value, op.tensor)
        properties: dict[str, Attribute] = {"node": op.tensor, "address": attr.integer(address)}
        self.cores[number].append(pim.StoreOp.create(operands=[buffer], properties=properties))

    def _hold(self, number: int, value: SSAValue, node: StringAttr) -> SSAValue:
        """The buffer in which a core holds a tile; tiles of network inputs are loaded at first use."""
        core = self.cores[number]
        if value not in core.held:
            buffer = core.held[value] = core.alloc(attr.shape_of(value))
            properties: dict[str, Attribute] = {"node": node, "address": attr.integer(self.tensors.inputs[value])}
            core.append(pim.LoadOp.create(operands=[buffer], properties=properties))
        return core.held[value]

    # computes ---------------------------------------------------------------------------------------------------

    def _compute(self, op: spat.ComputeOp) -> None:
        number = op.core.value.data
        core = self.cores[number]
        inside: dict[SSAValue, SSAValue] = {}
        for argument, value in zip(op.body.block.args, op.tiles, strict=True):
            inside[argument] = self._hold(number, value, op.node)
        for item in op.body.block.ops:
            if isinstance(item, Kernel):
                self._kernel(core, op, item, inside)
        last = cast(spat.YieldOp, op.body.block.last_op)
        for index, (result, value) in enumerate(zip(op.outputs, last.tiles, strict=True)):
            core.held[result] = inside[value]
            core.complete(op, index, inside[value])
        self._uses.subtract((value, op.core.value.data) for value in op.tiles)
        for result in op.outputs:
            for user in self._users.get(result, ()):
                if user != number:
                    self._pending[result, user] = self._promised, op.node, number
                    self._unsent[result] += 1
                    self._promised += 1

    def _flush(self, op: spat.ComputeOp | None) -> None:
        """Send what is pending before `op`: all of it when a new node begins, else what `op` uses."""
        if op is None or op.node != self._node:
            due = list(self._pending)
        else:
            core = op.core.value.data
            due = sorted(
                {(tile, core) for tile in op.tiles} & self._pending.keys(), key=lambda key: self._pending[key][0]
            )
        for value, target in due:
            _, node, source = self._pending.pop((value, target))
            self._unsent[value] -= 1
            self._message(node, value, source, target)

    def _kernel(self, core: CoreBuilder, compute: spat.ComputeOp, op: Kernel, inside: dict[SSAValue, SSAValue]) -> None:
        with about(op):
            self._append_kernel(core, compute, op, inside)

    def _append_kernel(
        self, core: CoreBuilder, compute: spat.ComputeOp, op: Kernel, inside: dict[SSAValue, SSAValue]
    ) -> None:
        outputs = self._in_place(compute, op, inside) if op.IN_PLACE else []
        outputs = outputs or [core.alloc(attr.shape_of(result)) for result in op.results]
        scratch = [core.alloc(shape) for shape in op.scratch_shapes(False)]
        constants = [core.constant(array, self.weights) for array in op.constant_data(self.weights, False)]
        properties: dict[str, Attribute] = {"node": compute.node}
        if compute.part is not None:
            properties["part"] = compute.part
        operands = [[inside[value] for value in op.operands], outputs, scratch, constants]
        core.append(op.on_buffers(*operands, properties=properties))
        inside.update(zip(op.results, outputs, strict=True))

    def _in_place(self, compute: spat.ComputeOp, op: Kernel, inside: dict[SSAValue, SSAValue]) -> list[SSAValue]:
        """The buffer of an operand of the result's shape that dies here; empty if there is none."""
        for value in op.operands:
            if attr.shape_of(value) == attr.shape_of(op.results[0]) and self._dies(compute, op, value):
                return [inside[value]]
        return []

    def _dies(self, compute: spat.ComputeOp, op: Operation, value: SSAValue) -> bool:
        """Whether nothing on this core needs `value`, seen from inside `compute`, after `op`."""
        if any(use.operation is not op for use in value.uses):
            return False
        if not isinstance(value, BlockArgument):
            return True
        outer = compute.tiles[value.index]
        return not self._unsent[outer] and self._uses[outer, compute.core.value.data] == 1

    def _message(self, node: StringAttr, value: SSAValue, source: int, target: int) -> None:
        """The next message of the total order."""
        receiver = self.cores[target]
        buffer = receiver.held[value] = receiver.alloc(attr.shape_of(value))
        for core, op, peer, operand in (
            (self.cores[source], pim.SendOp, target, self.cores[source].held[value]),
            (receiver, pim.ReceiveOp, source, buffer),
        ):
            properties: dict[str, Attribute] = {
                "node": node,
                "peer": attr.integer(peer),
                "message": attr.integer(self.messages),
            }
            core.append(op.create(operands=[operand], properties=properties))
        self.messages += 1

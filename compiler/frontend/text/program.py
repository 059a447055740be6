"""Reads the operations of a function in order: what is known is evaluated, the rest becomes operations of `onnx`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects import cf, func, linalg, ml_program, scf, tensor
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation, SSAValue

from compiler.basis.limits import MAX_NODES
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.scope import LIMITS, is_possible, product
from compiler.frontend.text.reader import Empty, Known, TextNode, TextReader
from compiler.frontend.text.scalars import FUNCTIONS, NoFunction
from compiler.frontend.text.structured import read_structured
from compiler.frontend.text.tensors import READERS
from compiler.interpreter.host.run import MEANINGS, OF_REGIONS
from compiler.interpreter.host.values import Array
from compiler.nests.expression import Value
from emu.errors import CompileError

READ = (*READERS, *FUNCTIONS, func.CallOp, func.ReturnOp, scf.ForOp, scf.IfOp, scf.YieldOp, cf.AssertOp)
# What may meet tensors that are written in part.
_OF_PARTS = (tensor.InsertSliceOp, tensor.ExtractSliceOp, tensor.CastOp, func.CallOp, scf.ForOp, scf.IfOp)
_DEPTH = 64  # of calls


class TextProgram:
    """`outputs` are the names of values that the network returns, by value of the text."""

    def __init__(self, reader: TextReader, outputs: Mapping[SSAValue, str]) -> None:
        self._reader, self._outputs = reader, outputs
        self._functions = {op.sym_name.data: op for op in reader.text.module.ops if isinstance(op, func.FuncOp)}
        self._count = 0

    def run(self, block: Block, depth: int = 0) -> list[Known]:
        """What a block returns; its arguments are known already."""
        for op in block.ops:
            self._count += 1
            if self._count > MAX_NODES:
                raise self._reader.text.refuse(op, f"is one operation more than the {MAX_NODES} of any network")
            if isinstance(op, func.ReturnOp | scf.YieldOp):
                return [self._reader.values[value] for value in op.operands]
            self._read(op, depth)
        return []

    def _read(self, op: Operation, depth: int) -> None:
        reader = self._reader
        values = [reader.values[value] for value in op.operands]
        made = self._evaluated(op, values)
        if made is None:
            node = reader.node_of(op, [self._outputs.get(result, "") for result in op.results])
            if not isinstance(op, _OF_PARTS):
                for place, value in enumerate(op.operands):
                    if not self._is_overwritten(op, place):
                        reader.refuse_unwritten(value, node)
            try:
                made = self._made(op, node, depth)
            except NoFunction as error:
                node.refuse(str(error))
        for result, value in zip(op.results, made, strict=True):
            reader.values[result] = value
            if not isinstance(value, SSAValue | Empty):
                reader.interpreter.set_values([(result, value)])

    def _evaluated(self, op: Operation, values: Sequence[Known]) -> list[Array] | None:
        """The results of an operation of which all is known; None if a core has to compute it."""
        if type(op) not in MEANINGS and type(op) not in OF_REGIONS:
            return None
        inputs = len(op.inputs) if isinstance(op, LinalgStructuredOperation) else len(values)
        arrays = list[Array]()
        for place, value in enumerate(values):
            if isinstance(value, Empty) and place >= inputs:
                value = np.broadcast_to(np.zeros((), value.dtype.numpy), value.shape)
                if not self._is_overwritten(op, place):
                    return None
            if isinstance(value, SSAValue | Empty):
                return None
            arrays.append(value)
        for value in arrays:
            if not is_possible(value.shape):
                raise self._reader.text.refuse(op, f"has an operand of {product(value.shape)} elements: {LIMITS}")
        if type(op).name == "tensor.empty" or (op.regions and not self._is_closed(op)):
            return None
        try:
            with np.errstate(all="ignore"):
                return [np.asarray(value) for value in self._reader.interpreter.run_op(op, tuple(arrays))]
        except CompileError as error:
            raise self._reader.text.refuse(op, str(error)) from None
        except (ValueError, IndexError, TypeError, ArithmeticError, MemoryError) as error:
            error.__dict__.pop("__notes__", None)
            raise self._reader.text.refuse(op, str(error).partition("\n")[0] or type(error).__name__) from None

    def _is_overwritten(self, op: Operation, place: int) -> bool:
        """Whether the body never reads the old element of a result."""
        if not isinstance(op, LinalgStructuredOperation) or place < len(op.inputs):
            return False
        return not list(op.body.block.args[place].uses)

    def _is_closed(self, op: Operation) -> bool:
        """Whether all that the regions of an operation read from around it is known."""
        inside = {value for inner in op.walk() for value in inner.results}
        inside |= {arg for region in op.regions for block in region.blocks for arg in block.args}
        outer = {value for inner in op.walk() if inner is not op for value in inner.operands} - inside
        return all(not isinstance(self._reader.values.get(value), SSAValue | Empty | None) for value in outer)

    def _made(self, op: Operation, node: TextNode, depth: int) -> Sequence[Known]:
        reader = self._reader
        if isinstance(op, LinalgStructuredOperation) and type(op) not in READERS:
            return read_structured(op, node, reader)
        if (read := READERS.get(type(op))) is not None:
            try:
                return [read(op, node, reader)]
            except ValueError as error:  # of numbers that no shape has
                raise reader.text.refuse(op, str(error)) from None
        if (write := FUNCTIONS.get(type(op))) is not None:
            for value in (*op.operands, *op.results):
                reader.dtype(value, node)
            operands = [reader.tensor(value, node) for value in op.operands]

            def function(*args: Value) -> Value:
                return write(op, *args)

            return [elementwise(node, reader.scope, operands, function)]
        if isinstance(op, func.CallOp):
            return self._called(op, node, depth)
        if isinstance(op, scf.ForOp):
            return self._turns(op, node, depth)
        if isinstance(op, scf.IfOp):
            return self._branch(op, node, depth)
        if isinstance(op, cf.AssertOp):
            reader.scope.warn(f"{reader.text.line_of(op)}cores do not make the check {op.msg}")
            return []
        raise reader.text.refuse(op, "is not understood here")

    def _called(self, op: func.CallOp, node: TextNode, depth: int) -> Sequence[Known]:
        called = self._functions.get(op.callee.string_value())
        if called is None or not called.body.blocks:
            node.refuse(f"calls @{op.callee.string_value()}, which the text does not define")
        if depth > _DEPTH:
            node.refuse("calls itself, or functions too deep in each other")
        return self._inner(called.body.block, [self._reader.values[value] for value in op.operands], depth + 1)

    def _inner(self, block: Block, values: Sequence[Known], depth: int) -> list[Known]:
        for arg, value in zip(block.args, values, strict=True):
            self._reader.values[arg] = value
            self._reader.interpreter.set_values([(arg, value)])
        return self.run(block, depth)

    def _turns(self, op: scf.ForOp, node: TextNode, depth: int) -> Sequence[Known]:
        low, high, step = (self._reader.number(value, node, "a bound") for value in (op.lb, op.ub, op.step))
        if step < 1:
            node.refuse(f"goes on by {step}")
        carried: list[Known] = [self._reader.values[value] for value in op.iter_args]
        for turn in range(low, high, step):
            carried = self._inner(op.body.block, [np.array(turn, np.int64), *carried], depth)
        return carried

    def _branch(self, op: scf.IfOp, node: TextNode, depth: int) -> Sequence[Known]:
        condition = self._reader.known(op.cond)
        if condition is None:
            node.refuse("chooses by a value that is computed at run time, which programs of cores cannot")
        region = op.true_region if condition else op.false_region
        return self._inner(region.block, [], depth) if region.blocks else []


def refuse_unknown(reader: TextReader) -> None:
    """Raise CompileError for the first operation outside of bodies that nobody reads."""
    for function in reader.text.module.ops:
        if isinstance(function, ml_program.GlobalOp):
            continue
        if not isinstance(function, func.FuncOp):
            raise reader.text.refuse(function, "is not understood: give functions of linalg on tensors")
        if len(function.body.blocks) > 1:
            raise reader.text.refuse(function, "has branches: give functions of one block")
        for op in function.walk():
            inner = any(isinstance(around, LinalgStructuredOperation) for around in _around(op))
            known = isinstance(op, LinalgStructuredOperation | func.FuncOp | linalg.ops.YieldOp) or inner
            if not (known or type(op) in READ or type(op) in MEANINGS or type(op).name == "tensor.yield"):
                raise reader.text.refuse(op, "is not understood")


def _around(op: Operation) -> list[Operation]:
    found, outer = list[Operation](), op.parent_op()
    while outer is not None:
        found.append(outer)
        outer = outer.parent_op()
    return found

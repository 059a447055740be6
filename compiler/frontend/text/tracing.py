"""Follows the body of a structured operation: each of its values becomes a function of elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith, cf, linalg, tensor
from xdsl.ir import Operation, SSAValue

from compiler.dialects.linalg.generic import IndexOp
from compiler.dialects.linalg.structure import Structure
from compiler.frontend.text.bodies import OPERAND, Read, TracedBody, linear_map, number_of, walk, without_single
from compiler.frontend.text.gathers import GatherSpace, element_of
from compiler.frontend.text.reader import Empty, TextNode, TextReader, dtype_of_known
from compiler.frontend.text.scalars import FUNCTIONS, NoFunction
from compiler.interpreter.host.values import Array
from compiler.nests.expression import Value, constant, index
from emu.errors import CompileError


def trace(structure: Structure, reader: TextReader, node: TextNode) -> TracedBody:
    """The functions of a body; refused where the vector unit cannot compute one."""
    values = (*structure.inputs, *structure.outputs)
    maps = [linear_map(each, node) for each in structure.maps]
    try:
        sizes = structure.sizes([reader.shape(value) for value in values])
    except ValueError as error:
        node.refuse(str(error))
    for value in values:
        reader.dtype(value, node)
    turning = [without_single(each, sizes) for each in maps]
    operands = [Read(reader.values[value], each) for value, each in zip(values, turning, strict=True)]
    return _Tracer(structure, reader, node, operands, sizes).traced()


class _Tracer:
    def __init__(
        self, structure: Structure, reader: TextReader, node: TextNode, operands: list[Read], sizes: tuple[int, ...]
    ) -> None:
        self._structure, self._reader, self._node = structure, reader, node
        self._operands, self._sizes = operands, sizes
        self._values: dict[SSAValue, Value] = {}
        self._numbers: dict[SSAValue, Array] = {}

    def traced(self) -> TracedBody:
        structure, inputs = self._structure, len(self._structure.inputs)
        reduces = not all(structure.parallel)
        for place, (arg, read) in enumerate(zip(structure.block.args, list(self._operands), strict=True)):
            number = None if reduces and place >= inputs else number_of(read.found)
            if number is not None:
                self._numbers[arg] = number
            self._values[arg] = Value(OPERAND, dtype_of_known(read.found), (), place)
        accumulators = [self._values[arg] for arg in structure.accumulators]
        results = list[Value]()
        for op in structure.block.ops:
            if isinstance(op, linalg.ops.YieldOp):
                results = [self._value(value) for value in op.operands]
            else:
                self._trace(op)
        targets = [read.map for read in self._operands[inputs : inputs + len(structure.outputs)]]
        return TracedBody(self._operands, accumulators, results, self._sizes, structure.parallel, targets)

    def _trace(self, op: Operation) -> None:
        if isinstance(op, cf.AssertOp):
            self._reader.scope.warn(f"{self._reader.text.line_of(op)}cores do not make the check {op.msg}")
            return
        if isinstance(op, IndexOp):
            self._values[op.results[0]] = index(int(op.dim.value.data))
            return
        if isinstance(op, tensor.ExtractOp):
            self._extract(op)
            return
        arrays = [self._number(value) for value in op.operands]
        if isinstance(op, arith.ConstantOp) or (op.operands and all(array is not None for array in arrays)):
            self._fold(op, [array for array in arrays if array is not None])
            return
        write = FUNCTIONS.get(type(op))
        if write is None:
            raise self._reader.text.refuse(op, f"is not understood in the body of {self._node.kind}")
        try:
            for value in (*op.operands, *op.results):
                self._reader.dtype(value, self._node)
            self._values[op.results[0]] = write(op, *(self._value(value) for value in op.operands))
        except NoFunction as error:
            self._node.refuse(str(error))

    def _extract(self, op: tensor.ExtractOp) -> None:
        """An element of a tensor that is around the operation."""
        table, part = self._reader.values.get(op.tensor), f"extract{len(self._operands)}"
        if table is None or isinstance(table, Empty):
            raise self._reader.text.refuse(op, "takes an element of a tensor that nobody has written: fill it first")
        indices = [self._value(value) for value in op.indices]
        inputs, count = len(self._structure.inputs), len(self._structure.outputs)
        held = range(inputs, inputs + count) if not all(self._structure.parallel) else ()
        if any(value.fn == OPERAND and int(value.number) in held for index in indices for value in walk(index)):
            raise self._reader.text.refuse(op, "has an index that depends on what the result held before")
        self._reader.dtype(op.result, self._node)
        space = GatherSpace(self._reader, self._node, self._operands, self._sizes)
        self._operands.append(element_of(space, table, indices, part))
        self._values[op.result] = Value(OPERAND, dtype_of_known(table), (), len(self._operands) - 1)

    def _fold(self, op: Operation, arrays: Sequence[Array]) -> None:
        try:
            made = self._reader.interpreter.run_op(op, tuple(arrays))
        except CompileError as error:
            raise self._reader.text.refuse(op, str(error)) from None
        self._numbers.update(zip(op.results, (np.asarray(value) for value in made), strict=True))

    def _number(self, value: SSAValue) -> Array | None:
        """The number that a scalar is, if it is known."""
        if value not in self._values and value not in self._numbers:
            found = self._reader.values.get(value)
            if found is None or isinstance(found, SSAValue | Empty) or found.ndim:
                return None
            self._numbers[value] = found
        return self._numbers.get(value)

    def _value(self, value: SSAValue) -> Value:
        number = self._number(value)
        if number is not None:
            return constant(number.item(), self._reader.dtype(value, self._node))
        if value not in self._values:  # a scalar of what is around the operation, which a core makes
            found = self._reader.values[value]
            self._operands.append(Read(found, ()))
            self._values[value] = Value(OPERAND, dtype_of_known(found), (), len(self._operands) - 1)
        return self._values[value]

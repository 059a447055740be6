"""Sizes that a text leaves open are written into it, as they were when it was interpreted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from compiler.dialects.origins import note, noted
from compiler.frontend.text.parsing import TextModule
from compiler.offload.emitter import OperationEmitter
from compiler.offload.seen import Seen, Shape, joined, resized
from compiler.offload.sized import REBUILT, folded

_DIALECTS = ("arith", "math", "tensor", "linalg")  # whose operations take sizes as they come
_CARRIED = 3  # the first operand of a loop that is carried


def specialised(text: TextModule, seen: Seen, function: func.FuncOp, inputs: Sequence[Shape]) -> TextModule:
    """A copy of a text in which a size that was the same in every execution stands in the types.

    `inputs` are the shapes of the inputs of `function`. What was never executed stays as it is, and gets its operands
    by `tensor.cast`, as does what has seen other sizes than its neighbours. Numbers that are computed of such sizes
    become constants.
    """
    module = text.module.clone()
    copies = dict(zip(text.module.walk(), module.walk(), strict=True))
    work = _Specialiser(
        {copies[op]: shapes for op, shapes in seen.operands.items()},
        {copies[op]: shapes for op, shapes in seen.results.items()},
    )
    functions = [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]
    work.note(functions, cast(func.FuncOp, copies[function]), inputs)
    for each in functions:
        work.function(each)
    _drop_unused(module)
    return replace(text, module=module, lines={}, names={})  # operations have their lines with them


def _drop_unused(module: ModuleOp) -> None:
    """Erase what has computed sizes that are known now."""
    for op in reversed(list(module.walk())):
        of_sizes = isinstance(op, tensor.CastOp) or all(not isinstance(one.type, TensorType) for one in op.results)
        if op.results and of_sizes and is_side_effect_free(op) and not any(list(one.uses) for one in op.results):
            op.detach()
            op.erase()


class _Specialiser:
    """Rewrites one function after the other; `operands` and `results` are what was seen."""

    def __init__(
        self, operands: Mapping[Operation, list[Shape | None]], results: Mapping[Operation, list[Shape | None]]
    ) -> None:
        self.operands, self.results = operands, results
        self.types = dict[str, tuple[list[Attribute], list[Attribute]]]()  # of functions that are called, by name
        self.original = dict[Operation, list[Attribute]]()

    def note(self, functions: Sequence[func.FuncOp], entry: func.FuncOp, inputs: Sequence[Shape]) -> None:
        """What the types of functions become, and what those of operands were."""
        given = dict[str, list[Shape | None]]({entry.sym_name.data: list(inputs)})
        for op in (op for function in functions for op in function.walk()):
            self.original[op] = [value.type for value in op.operands]
            if isinstance(op, func.CallOp) and op in self.operands:
                known = given.get(op.callee.string_value(), [None] * len(op.operands))
                given[op.callee.string_value()] = list(map(joined, known, self.operands[op]))
        for function in functions:
            last, name = function.body.block.last_op, function.sym_name.data
            if name in given and last is not None and last in self.operands:
                kinds = function.function_type
                args, made = (
                    [resized(kind, shape) for kind, shape in zip(own, shapes, strict=True)]
                    for own, shapes in ((kinds.inputs, given[name]), (kinds.outputs, self.operands[last]))
                )
                self.types[name] = args, made

    def function(self, function: func.FuncOp) -> None:
        """Rewrite a function that was called; others call what has changed."""
        args, made = self.types.get(function.sym_name.data, (function.function_type.inputs, None))
        for value, kind in zip(list(function.body.block.args), args, strict=True):
            _settle(value, kind)
        self._block(function.body.block)
        if made is not None:
            last = function.body.block.last_op
            assert last is not None
            _cast_all(last, made)
            function.function_type = FunctionType.from_lists(list(args), made)

    def _block(self, block: Block) -> None:
        for op in list(block.ops):
            constant = folded(op)
            if constant is not None:
                self._replace(op, constant)
                continue
            self._operands(op)
            if isinstance(op, scf.ForOp):
                self._loop(op)
            elif isinstance(op, scf.IfOp):
                self._branches(op)
            elif isinstance(op, func.CallOp):
                self._call(op)
            elif self._takes_any(op) and op in self.results:
                self._results(op)
            elif isinstance(op, scf.WhileOp | scf.IndexSwitchOp):  # whose values keep their types
                for inner in (inner for region in op.regions for inner in region.blocks):
                    self._block(inner)

    def _takes_any(self, op: Operation) -> bool:
        return op.name.partition(".")[0] in _DIALECTS or isinstance(op, scf.ForOp)

    def _operands(self, op: Operation) -> None:
        """Cast operands to what the operation has seen; those of one that was not executed to what they were."""
        kinds = self.original[op]
        if isinstance(op, func.CallOp):
            kinds = self.types.get(op.callee.string_value(), (kinds, None))[0]
        elif op in self.operands and self._takes_any(op):
            kinds = [resized(kind, shape) for kind, shape in zip(kinds, self.operands[op], strict=True)]
        _cast_all(op, kinds)

    def _results(self, op: Operation) -> None:
        kinds = [resized(one.type, shape) for one, shape in zip(op.results, self.results[op], strict=True)]
        rebuild = REBUILT.get(type(op))
        if rebuild is not None:
            self._replace(op, rebuild(op, kinds[0]))
        elif isinstance(op, tensor.CastOp) and op.source.type == kinds[0]:
            op.dest.replace_all_uses_with(op.source)
            op.detach()
            op.erase()
        else:
            for result, kind in zip(list(op.results), kinds, strict=True):
                _settle(result, kind)

    def _replace(self, op: Operation, made: Operation) -> None:
        for old, new in zip(op.results, made.results, strict=True):
            new.name_hint = old.name_hint
        note(made, noted(op))
        Rewriter.replace_op(op, made)

    def _loop(self, op: scf.ForOp) -> None:
        last = op.body.block.last_op
        assert last is not None
        if op in self.operands:
            handed = self.operands.get(last, [None] * len(op.results))
            shapes = list(map(joined, self.operands[op][_CARRIED:], handed))
            for value, shape in zip(list(op.body.block.args[1:]), shapes, strict=True):
                _settle(value, resized(value.type, shape))
        kinds = [arg.type for arg in op.body.block.args[1:]]
        _cast_all(op, kinds, _CARRIED)
        self._block(op.body.block)
        _cast_all(last, kinds)
        for result, kind in zip(list(op.results), kinds, strict=True):
            _settle(result, kind)

    def _branches(self, op: scf.IfOp) -> None:
        shapes = self.results.get(op, [None] * len(op.results))
        for result, shape in zip(list(op.results), shapes, strict=True):
            _settle(result, resized(result.type, shape))
        for block in (block for region in op.regions for block in region.blocks):
            self._block(block)
            assert block.last_op is not None
            _cast_all(block.last_op, [result.type for result in op.results])

    def _call(self, op: func.CallOp) -> None:
        if (known := self.types.get(op.callee.string_value())) is not None:
            for result, kind in zip(list(op.results), known[1], strict=True):
                _settle(result, kind)


def _settle(value: SSAValue, kind: Attribute) -> None:
    """Give a value another type."""
    if value.type != kind:
        Rewriter.replace_value_with_new_type(cast("OpResult | BlockArgument", value), kind)


def _cast_all(op: Operation, kinds: Sequence[Attribute], first: int = 0) -> None:
    """Cast operands, from `first` on, that are of other types."""
    for place, kind in enumerate(kinds, first):
        value = op.operands[place]
        if value.type == kind:
            continue
        assert isinstance(kind, TensorType)
        if isinstance(value.owner, tensor.CastOp):
            value = value.owner.source
        op.operands[place] = value if value.type == kind else OperationEmitter.before(op)(tensor.CastOp(value, kind))

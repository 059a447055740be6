"""What the operations of transform scripts do, but for NeuroBoard's: find operations, tile them, run passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from xdsl.dialects import transform
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.scf import ForOp
from xdsl.ir import Operation, SSAValue

from compiler.dialects.origins import origin_of, refuse
from compiler.dialects.transform import handles
from compiler.offload.linalg_generalize import generalised
from compiler.offload.script_state import ScriptState, name_of_value
from compiler.offload.script_tiles import tile
from emu.errors import InputError
from emu.wording import nearest

Step: TypeAlias = Callable[[Any, ScriptState], None]
# By the number that stands for it in the text: whether an operation has an interface.
_INTERFACES: Sequence[tuple[type[Operation], ...]] = (
    (LinalgStructuredOperation,),
    (LinalgStructuredOperation,),
    (ForOp,),
)


def _match(op: transform.MatchOp, state: ScriptState) -> None:
    names = None if op.ops is None else {name.data for name in op.ops}
    wanted = {} if op.op_attrs is None else op.op_attrs.data
    kinds = (Operation,) if op.interface is None else _INTERFACES[op.interface.value.data]

    def fits(one: Operation) -> bool:
        own = one.properties | one.attributes
        return (
            (names is None or one.name in names)
            and isinstance(one, kinds)
            and all(own.get(name) == value for name, value in wanted.items())
            and (op.filter_result_type is None or [each.type for each in one.results] == [op.filter_result_type])
            and (op.filter_operand_types is None or _typed(one, op.filter_operand_types.data))
        )

    roots = state.operations(op.target, op)
    found = [one for root in roots for one in root.walk(region_first=True) if fits(one) and not _is_script(one)]
    if not found and state.insists:
        there = sorted({one.name for root in roots for one in root.walk() if not _is_script(one)})
        hint = "".join(nearest(name, there) for name in sorted(names or ()))
        raise refuse(
            op, f"matches nothing: of what it asks for there is none{hint or ': there are ' + ', '.join(there)}"
        )
    state.give(op.result, found)


def _typed(one: Operation, kinds: Sequence[Any]) -> bool:
    given = [value.type for value in one.operands]
    return given == (list(kinds) if len(kinds) != 1 else [kinds[0]] * len(given))


def _is_script(op: Operation | None) -> bool:
    """Whether an operation is one of a script, or stands in one."""
    while op is not None:
        if op.name.startswith("transform."):
            return True
        op = op.parent_op()
    return False


def _operand(op: Any, one: Operation) -> SSAValue:
    if op.place >= len(one.operands):
        raise refuse(op, f"asks for operand {op.place} of {origin_of(one)}, which has {len(one.operands)}")
    return one.operands[op.place]


def _result(op: Any, one: Operation) -> SSAValue:
    if op.place >= len(one.results):
        raise refuse(op, f"asks for result {op.place} of {origin_of(one)}, which has {len(one.results)}")
    return one.results[op.place]


def _maker(op: Operation, value: SSAValue) -> Operation:
    if not isinstance(value.owner, Operation):
        raise refuse(
            op,
            f"asks for what makes {name_of_value(value)}, an argument: no operation does; name it as a value, by"
            " transform.get_operand",
        )
    return value.owner


def _producer(op: handles.GetProducerOfOperandOp, state: ScriptState) -> None:
    found = [_maker(op, _operand(op, one)) for one in state.operations(op.target, op)]
    state.give(op.producer, found)


def _get_operand(op: handles.GetOperandOp, state: ScriptState) -> None:
    state.give(op.value, [_operand(op, one) for one in state.operations(op.target, op)])


def _get_result(op: handles.GetResultOp, state: ScriptState) -> None:
    state.give(op.value, [_result(op, one) for one in state.operations(op.target, op)])


def _consumers(op: handles.GetConsumersOfResultOp, state: ScriptState) -> None:
    values = [_result(op, one) for one in state.operations(op.target, op)]
    found = [use.operation for value in values for use in value.uses]
    state.give(op.consumers, list(dict.fromkeys(found)))


def _defining(op: handles.GetDefiningOp, state: ScriptState) -> None:
    values = state.values(op.target, op)
    state.give(op.result, [_maker(op, value) for value in values])


def _parent(op: handles.GetParentOp, state: ScriptState) -> None:
    found = list[Operation]()
    for one in state.operations(op.target, op):
        left = 1 if op.nth_parent is None else op.nth_parent.value.data
        outer: Operation | None = one
        while left and outer is not None:
            outer = outer.parent_op()
            left -= outer is not None and (op.op_name is None or outer.name == op.op_name.data)
        if outer is None:
            named = f" called {op.op_name.data}" if op.op_name else ""
            raise refuse(op, f"finds no operation{named} around {origin_of(one)}")
        found.append(outer)
    state.give(op.parent_result, list(dict.fromkeys(found)) if op.deduplicate else found)


def _generalize(op: handles.GeneralizeOp, state: ScriptState) -> None:
    ops = state.operations(op.target, op)
    state.consume(ops, op)
    made = list[Operation]()
    for one in ops:
        new = generalised(one)
        if new is None:
            raise refuse(
                op, f"cannot make linalg.generic of {origin_of(one)}: it is no named operation with one result"
            )
        made.append(new)
    state.give(op.transformed, made)


def _run_pass(op: transform.ApplyRegisteredPassOp, state: ScriptState) -> None:
    ops = state.operations(op.target, op)
    for one in ops:
        if not isinstance(one, ModuleOp | FuncOp):
            raise refuse(op, f"runs a pass on {origin_of(one)}: give a module or functions")
    options = " ".join(f"{name}={_option(op, value)}" for name, value in op.options.data.items())
    entry = op.pass_name.data + (f"{{{options}}}" if options else "")
    state.consume(ops, op)
    try:
        found = state.context.make_pass(entry)
        for one in ops:
            found.apply(state.context, cast(ModuleOp, one))
    except InputError as error:
        raise refuse(op, f"cannot run {entry!r}: {error}") from None
    state.give(op.result, ops)


def _option(op: Operation, value: Any) -> str:
    if isinstance(value, StringAttr):
        return value.data
    if isinstance(value, IntegerAttr):
        return str(value.value.data)
    if isinstance(value, UnitAttr):
        return "true"
    raise refuse(op, f"has an option {value}: give strings and numbers")


def _cast(op: handles.CastOp, state: ScriptState) -> None:
    state.give(op.output, state.named(op.input, op))


def _merge(op: handles.MergeHandlesOp, state: ScriptState) -> None:
    found: list[Any] = [each for value in op.handles for each in state.named(value, op)]
    state.give(op.result, list(dict.fromkeys(found)) if op.deduplicate else found)


def _split(op: handles.SplitHandleOp, state: ScriptState) -> None:
    found: list[Any] = list(state.named(op.handle, op))
    if len(found) != len(op.results):
        raise refuse(op, f"makes {len(op.results)} handles of {len(found)} operations")
    for value, one in zip(op.results, found, strict=True):
        state.give(value, [one])


def _constant(op: handles.ParamConstantOp, state: ScriptState) -> None:
    if not isinstance(op.value, IntegerAttr):
        raise refuse(op, f"has the value {op.value}: give a whole number")
    state.give(op.param, [op.value.value.data])


def _annotate(op: handles.AnnotateOp, state: ScriptState) -> None:
    for one in state.operations(op.target, op):
        one.attributes[op.attr_name.data] = UnitAttr()


STEPS: Mapping[type[Operation], Step] = {
    transform.MatchOp: _match,
    transform.TileOp: tile,
    transform.ApplyRegisteredPassOp: _run_pass,
    handles.GetProducerOfOperandOp: _producer,
    handles.GetConsumersOfResultOp: _consumers,
    handles.GetOperandOp: _get_operand,
    handles.GetResultOp: _get_result,
    handles.GetDefiningOp: _defining,
    handles.GetParentOp: _parent,
    handles.GeneralizeOp: _generalize,
    handles.CastOp: _cast,
    handles.MergeHandlesOp: _merge,
    handles.SplitHandleOp: _split,
    handles.ParamConstantOp: _constant,
    handles.AnnotateOp: _annotate,
}

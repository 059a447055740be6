"""Finds the transform script of a module, checks it before anything is changed, and carries it out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import transform
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.transform import FailurePropagationModeType
from xdsl.ir import Block, Operation, SSAValue

from compiler.dialects.origins import in_file, refuse
from compiler.dialects.transform import handles
from compiler.offload.context import OffloadContext
from compiler.offload.script_neuro import NEURO_STEPS
from compiler.offload.script_state import ScriptState
from compiler.offload.script_steps import STEPS, Step

ENTRY = "__transform_main"
_ALL: Mapping[type[Operation], Step] = {**STEPS, **NEURO_STEPS}
_KNOWN = (*_ALL, handles.ForeachOp, transform.YieldOp)


@dataclass(frozen=True, slots=True)
class Script:
    """The operation that holds a script, in a file of its own or not; one that `insists` has to find what it seeks."""

    sequence: Operation
    insists: bool = True
    where: str = ""

    def check(self) -> None:
        """Raise CompileError, with a line, for what is not understood."""
        sequence = self.sequence
        if (
            isinstance(sequence, handles.SequenceOp)
            and sequence.failures.data is not FailurePropagationModeType.PROPAGATE
        ):
            raise refuse(sequence, "goes on after failures: write failures(propagate)")
        if not sequence.regions[0].blocks or len(sequence.regions[0].block.args) != 1:
            raise refuse(sequence, "takes one argument, the module")
        for op in sequence.walk():
            if op is not sequence and not isinstance(op, _KNOWN):
                known = ", ".join(sorted(one.name for one in _KNOWN))
                raise refuse(op, f"is not understood in a script: use {known}")

    def run(self, module: ModuleOp, context: OffloadContext) -> None:
        """Transform a module in place; raises CompileError with the line of the operation that cannot be done."""
        state, block = ScriptState(module, context, self.insists), self.sequence.regions[0].block
        with in_file(self.where) if self.where else nullcontext():
            self.check()
            state.give(block.args[0], [module])
            _run(block, state)


def scripts_of(module: ModuleOp) -> list[Operation]:
    """The operations of a module that hold, or belong to, transform scripts."""
    return [op for op in module.walk() if isinstance(op, handles.SequenceOp | transform.NamedSequenceOp)]


def script_of(module: ModuleOp) -> Script | None:
    """The script of a module: @__transform_main, or a sequence; raises CompileError for several, or another name."""
    found = scripts_of(module)
    named = [op for op in found if isinstance(op, transform.NamedSequenceOp) and op.sym_name.data == ENTRY]
    chosen = named or [op for op in found if isinstance(op, handles.SequenceOp)]
    if len(chosen) > 1:
        raise refuse(chosen[1], "is a second script: give one")
    if found and not chosen:
        raise refuse(found[0], f"is never run: call it @{ENTRY}")
    return Script(chosen[0]) if chosen else None


def in_script(op: Operation) -> bool:
    """Whether an operation is part of a script."""
    return op.name.startswith("transform.")


def without_scripts(module: ModuleOp) -> None:
    """Erase the scripts of a module."""
    for op in scripts_of(module):
        outer = op.parent_op()
        op.detach()
        op.erase()
        if isinstance(outer, ModuleOp) and outer is not module and not outer.body.block.first_op:
            outer.detach()
            outer.erase()
    for name in [name for name in module.attributes if name.startswith("transform.")]:
        del module.attributes[name]


def _run(block: Block, state: ScriptState) -> list[list[Any]]:
    """The payloads that a block yields."""
    for op in block.ops:
        if isinstance(op, transform.YieldOp):
            return [list(state.named(value, op)) for value in op.operands]
        if isinstance(op, handles.ForeachOp):
            _foreach(op, state)
        else:
            _ALL[type(op)](op, state)
    return []


def _foreach(op: handles.ForeachOp, state: ScriptState) -> None:
    made: list[list[Any]] = [[] for _ in op.results]
    (argument,) = op.body.block.args if len(op.body.block.args) == 1 else (None,)
    if argument is None:
        raise refuse(op, "has a body that takes one argument, each of the operations in turn")
    for one in list(state.named(op.target, op)):
        state.give(argument, cast("list[Operation]", [one]))
        yielded = _run(op.body.block, state)
        if len(yielded) != len(made):
            raise refuse(op, f"has {len(made)} results, and its body yields {len(yielded)}")
        for all_of, some in zip(made, yielded, strict=True):
            all_of += some
        for value in _inside(op.body.block):
            state.handles.pop(value, None)
    for value, payload in zip(op.results, made, strict=True):
        state.give(value, payload)


def _inside(block: Block) -> list[SSAValue]:
    return [*block.args, *(value for op in block.walk() for value in op.results)]

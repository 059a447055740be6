"""What an interpretation knows beside the values of operations: weights, inputs, outputs, and who is told."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues
from xdsl.ir import Operation

from compiler.basis.weights import Array, WeightStore
from compiler.dialects.types import dtype_of
from compiler.interpreter.dispatch import Run, functions_by_kind
from emu.errors import CompileError, EmuError
from emu.program.form import Box, Form


class Meaningless(CompileError):
    """An operation that the interpreter does not know, or that it cannot execute (exit code 2)."""


class Undefined(EmuError):
    """Operations that use what nobody made: the level is wrong, whatever its inputs are."""

    exit_code = 1

    def __init__(self, op: Operation, what: str) -> None:
        super().__init__(what)
        self.op, self.what = op, what


@dataclass(frozen=True, slots=True, eq=False)
class MadeValue:
    """A value that an operation has made, as it stands: `rows` of it, half-open, where it is some of a tile only.

    `tensor` is the ONNX tensor that it is, or the `box` of it in `form` (None: all of it, as ONNX has it); `key` says
    which part of which kernel it is. Either may be empty.
    """

    op: Operation
    array: Array
    tensor: str = ""
    form: Form | None = None
    box: Box = ()
    key: tuple[object, ...] = ()
    rows: tuple[int, int] | None = None
    told: tuple[object, ...] = ()  # of programs: "send", "store" or "complete", by whom, and which one


@dataclass(slots=True)
class World:
    """One interpretation: `inputs` by name [logical shape] go in, `outputs` come out; `tell` is told of all values.

    Floats that operations of `nudged` round are first multiplied by `nudge`.
    """

    weights: WeightStore
    inputs: Mapping[str, Array]
    tell: Callable[[MadeValue], None]
    outputs: dict[str, Array] = field(default_factory=dict[str, Array])
    nudged: Collection[Operation] = ()
    nudge: float = 1.0

    def nudge_of(self, op: Operation) -> float:
        """What the floats that `op` rounds are multiplied by."""
        return self.nudge if op in self.nudged else 1.0


Meaning: TypeAlias = Callable[[Any, Sequence[Array], World], Sequence[Array]]  # of an operation: operands to results


def functions_of(meanings: Mapping[type[Operation], Meaning], world: World) -> InterpreterFunctions:
    """Implementations for xDSL's interpreter; every result has the shape and the element type of its value."""

    def run_of(meaning: Meaning) -> Run:
        def run(interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
            made = meaning(op, args, world)
            pairs = zip(op.results, made, strict=True)
            return tuple([as_declared(op, index, array) for index, (_, array) in enumerate(pairs)])

        return run

    return functions_by_kind({kind: run_of(meaning) for kind, meaning in meanings.items()})


def as_declared(op: Operation, index: int, array: Array) -> Array:
    """A result of an operation; raises Undefined if it is not of the shape that the operation declares."""
    value = op.results[index]
    shape = tuple(value.type.get_shape())  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType, reportUnknownVariableType]
    if array.shape != shape:
        raise Undefined(op, f"makes {list(array.shape)} where it says {list(shape)}")
    return array.astype(dtype_of(value).numpy, copy=False)

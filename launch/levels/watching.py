"""Watches a compilation: executes each level on the same inputs and compares it with what was known before."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from compiler.dialects import pim, spat
from compiler.interpreter.inexact import rounding
from compiler.interpreter.interpret import interpret
from compiler.interpreter.world import MadeValue, Undefined
from compiler.session.context import CompilerContext
from compiler.text import print_module
from emu.program.form import box_slices
from launch.levels.comparing import Deviation, ExpectedLevel, Worst, compare
from launch.levels.finding import SHOWN, LevelDifference
from launch.levels.makers import made_by

UNITS = 8  # by how many units in the last place right floats may differ before they are rounded
Arrays = Mapping[str, np.ndarray]


class Differs(Exception):
    """Ends a compilation at the first level that differs."""

    def __init__(self, difference: LevelDifference) -> None:
        super().__init__(difference.sentence())
        self.difference = difference


class Watching:
    """Called after the import and after each pass; raises Differs after the first that changes the network.

    `golden` are values that tensors of the network have by others, by name; they are compared with the import.
    """

    def __init__(self, inputs: Arrays, golden: Arrays, perturbed: Sequence[Arrays] = ()) -> None:
        self._inputs, self._golden, self._perturbed = inputs, golden, perturbed
        self.steps, self.same, self.compared = list[str](), list[str](), 0
        self.seconds = dict[str, float]()
        self.tensors = dict[str, ExpectedLevel]()
        self.outputs = dict[str, ExpectedLevel]()
        self.events = list[MadeValue]()  # of the last level: what leaves a core, or stands complete on it
        self.inexact = False  # inexact floats are rounded: elements may be off by whole steps
        self._parts, self._text = dict[tuple[object, ...], ExpectedLevel](), ""
        self._times = Counter[tuple[object, ...]]()  # how often each kernel occurs in the level before

    def __call__(self, step: str, module: ModuleOp, context: CompilerContext) -> None:
        """Execute the module and compare."""
        text = print_module(module)
        if text == self._text:
            self.same.append(step)
            return
        self._text, began = text, time.perf_counter()
        self.steps.append(step)
        made, worst = list[MadeValue](), Worst()
        try:
            outputs = interpret(module, context.weights, self._inputs, made.append)
        except Undefined as undefined:
            raise Differs(described(step, undefined.op, what=undefined.what)) from None
        if not self.outputs:
            self._learn(module, context, made, outputs)
        parts = self._parts if self._has_the_same_kernels(made) else {}
        for each in made:
            self._compare(each, worst, parts)
        for name, array in outputs.items():
            worst.add(name, _checked(array, self.outputs[name]), final=True)
        self.compared += worst.compared
        self.seconds[step] = time.perf_counter() - began
        if first := worst.first():
            raise Differs(self._difference(step, module, *first))
        self._remember(module, made)

    def _learn(self, module: ModuleOp, context: CompilerContext, made: Sequence[MadeValue], outputs: Arrays) -> None:
        """What the network is, as others say or else as it was imported; and how far rounding moves it."""
        ops, nudged = rounding(module), list[tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]()
        self.inexact = bool(ops)
        for way in (1, -1) if ops else ():
            records, nudge = list[MadeValue](), 1 + way * UNITS * float(np.finfo(np.float32).eps)
            other = interpret(module, context.weights, self._inputs, records.append, ops, nudge)
            nudged.append(({each.tensor: each.array for each in records}, other))
        for each in made:
            if each.tensor and each.form is None:
                perturbed = [records[each.tensor] for records, _ in nudged]
                self.tensors[each.tensor] = self._known(each.tensor, each.array, perturbed)
        for name, array in outputs.items():
            self.outputs[name] = self._known(name, array, [other[name] for _, other in nudged])

    def _known(self, name: str, array: np.ndarray, perturbed: list[np.ndarray]) -> ExpectedLevel:
        """`array` as it was imported, or as others know it, and how far rounding moves it in either."""
        known, golden = ExpectedLevel.of(array, perturbed), self._golden.get(name)
        if golden is None or golden.shape != array.shape or golden.dtype != array.dtype:
            return known
        theirs = ExpectedLevel.of(golden, [each[name] for each in self._perturbed if name in each])
        return replace(theirs, room=max(known.room, theirs.room), few=max(known.few, theirs.few))

    def _has_the_same_kernels(self, made: Sequence[MadeValue]) -> bool:
        """Whether the kernels are those of the level before, or on buffers: else one may be called as another was."""
        times = Counter(each.key for each in made if each.key)
        if any(each.rows is not None for each in made):
            return set(times) == set(self._times)
        return times == self._times

    def _compare(self, made: MadeValue, worst: Worst, parts: Mapping[tuple[object, ...], ExpectedLevel]) -> None:
        known = self.tensors.get(made.tensor)
        if known is not None:
            want = expected(made, known)
            if want is not None:
                worst.add(made, _checked(made.array, known, want))
        part = parts.get(made.key) if made.key and not self.inexact else None
        if part is not None:
            want = part.array if made.rows is None else part.array[slice(*made.rows)]
            worst.add(made, _checked(made.array, part, want))

    def _remember(self, module: ModuleOp, made: Sequence[MadeValue]) -> None:
        """Tensors and parts of kernels that later levels are compared with."""
        times = Counter(each.key for each in made if each.key and each.rows is None)
        if times:
            self._times = times
            self._parts = {each.key: ExpectedLevel.of(each.array) for each in made if times[each.key] == 1}
        for each in made:
            whole = each.form is not None and each.array.shape == each.form.sizes
            if each.tensor and each.form is not None and whole and each.tensor not in self.tensors:
                self.tensors[each.tensor] = ExpectedLevel.of(each.form.logical(each.array))
        self.events = [each for each in made if each.told]

    def _difference(self, step: str, module: ModuleOp, what: Any, off: Deviation) -> LevelDifference:
        if isinstance(what, str):
            op = _output_of(module, what)
            return described(step, op, off, tensor=what, index=off.index)
        maker = made_by(what.op) if isinstance(what.op, pim.CompleteOp) else what.op
        return described(step, maker, off, tensor=what.tensor, value=value_of(what), index=index_of(what, off.index))


def _checked(got: np.ndarray, known: ExpectedLevel, want: np.ndarray | None = None) -> Deviation:
    """How far it is off; infinitely, if it has another shape or type."""
    want = known.array if want is None else want
    if got.shape != want.shape or got.dtype != want.dtype:
        return Deviation(
            np.inf, (), f"{want.dtype} {list(want.shape)}", f"{got.dtype} {list(got.shape)}", got.size, got.size
        )
    return compare(got, want, known)


def expected(made: MadeValue, known: ExpectedLevel) -> np.ndarray | None:
    """What a value is to be, of a whole tensor that is known; None if it is another tensor of that name."""
    if made.form is None:
        return known.array
    if made.form.shape != known.array.shape:
        return None
    return made.form.physical(known.array)[box_slices(made.box)]


def index_of(made: MadeValue, place: tuple[int, ...]) -> tuple[int, ...]:
    """The index in ONNX's order of an element of a box; of rows of a part of a kernel that in the whole part."""
    if made.form is not None:
        count = int(np.prod(made.form.shape))
        numbers = made.form.physical(np.arange(count).reshape(made.form.shape))[box_slices(made.box)]
        return tuple(int(k) for k in np.unravel_index(int(numbers[place]), made.form.shape)) if place else ()
    return (made.rows[0] + place[0], *place[1:]) if made.rows is not None and place else place


def value_of(made: MadeValue) -> str:
    """What a value is called that is no tensor of the network."""
    return "" if made.tensor else "its result"


def described(step: str, op: Operation, off: Deviation | None = None, **more: Any) -> LevelDifference:
    """A difference that an operation makes."""
    named: Operation | None = op
    while named is not None and "node" not in named.properties:
        named = named.parent_op()
    node = named.properties["node"] if named is not None else None
    if off is not None:
        more |= {"before": off.before, "after": off.after, "elements": off.elements, "of": off.of, "limit": off.limit}
    return LevelDifference(
        step,
        op.name,
        node.data if isinstance(node, StringAttr) else "",
        text_of(op),
        _core(op),
        **more,
    )


def text_of(op: Operation) -> str:
    """An operation as it stands in the IR, in one short line."""
    first = str(op).partition("({\n")[0].splitlines()[0]
    return first if len(first) <= SHOWN else f"{first[: SHOWN - 3]}..."


def _core(op: Operation | None) -> int | None:
    while op is not None:
        if isinstance(op, pim.CoreOp):
            return op.coreId.value.data
        if isinstance(op, spat.ComputeOp):
            return op.number if op.core is not None else None
        op = op.parent_op()
    return None


def _output_of(module: ModuleOp, name: str) -> Operation:
    """The operation that is, or returns, an output."""
    for op in module.walk():
        tensor = op.properties.get("tensor")
        if isinstance(op, spat.OutputOp | pim.TensorOp) and isinstance(tensor, StringAttr) and tensor.data == name:
            return op
    return next((op for op in module.walk() if op.name == "func.return"), module)

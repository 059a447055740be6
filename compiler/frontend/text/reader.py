"""The values of a text while it is read: arrays that are known, results that cores make, and what nobody wrote."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np
from xdsl.dialects.builtin import Float64Type, TensorType
from xdsl.interpreter import Interpreter
from xdsl.ir import Attribute, Operation, SSAValue

from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import LIMITS, Scope, Shape, is_possible, product, shape_of
from compiler.frontend.text.parsing import TextModule
from compiler.frontend.text.scalars import machine_type
from compiler.interpreter.host.values import Array
from emu.errors import CompileError
from emu.isa.dtypes import DType

DOUBLES = "computes in f64, which cores do not have: it is computed as f32"


@dataclass(frozen=True, slots=True, eq=False)
class Empty:
    """A tensor whose elements nobody has written."""

    shape: Shape
    dtype: DType


Known: TypeAlias = "Array | SSAValue | Empty"  # an SSAValue is one of the module that is made


@dataclass(frozen=True, slots=True)
class TextNode(Node):
    """An operation of the text; `where` has its line, too."""

    def refuse(self, reason: str) -> NoReturn:
        """Raise the CompileError "file: line 12: linalg.matmul reason"."""
        raise CompileError(f"{self.where}{self.kind} {reason}", self.name)


@dataclass(frozen=True, slots=True)
class Padded:
    """`source` with a number around it: as many elements before and after each dimension."""

    source: SSAValue
    low: tuple[int, ...]
    high: tuple[int, ...]
    number: float


class TextReader:
    """`values` are those of the text, by value; `pads` how padded ones of the module were made.

    `unwritten` tells which elements of values of the module nobody has written.
    """

    def __init__(self, text: TextModule, scope: Scope, interpreter: Interpreter, taken: Iterable[str]) -> None:
        self.text, self.scope, self.interpreter = text, scope, interpreter
        self.values: dict[SSAValue, Known] = {}
        self.pads: dict[SSAValue, Padded] = {}
        self.unwritten: dict[SSAValue, Array] = {}
        self.nodes: dict[str, TextNode] = {}
        self._constants: dict[Hashable, tuple[Array, SSAValue]] = {}  # by the elements of an array, which stays alive
        self._derived: dict[Hashable, tuple[Array, Array]] = {}
        self._dtypes: dict[Attribute, DType] = {}
        self._taken, self._serials = set(taken), dict[str, int]()

    # names --------------------------------------------------------------------------------------------------------

    def fresh(self, name: str) -> str:
        """A name that nothing else has, like `name`."""
        made = name
        while made in self._taken:
            self._serials[name] = self._serials.get(name, 0) + 1
            made = f"{name}.{self._serials[name]}"
        self._taken.add(made)
        return made

    def node_of(self, op: Operation, outputs: Sequence[str] = ()) -> TextNode:
        """The node that an operation of the text becomes; its results are called `outputs`, or as in the text."""
        base = self.text.names.get(op, "")
        short = op.name.partition(".")[2]
        name = self.fresh(f"{short}_{base}" if base else short)
        count = len(op.results)
        names = [
            given or self.fresh(base if count == 1 and base else f"{base or short}#{place}")
            for place, given in enumerate(outputs or [""] * count)
        ]
        node = TextNode(name, op.name, (), tuple(names), f"{self.text.where}: {self.text.line_of(op)}")
        self.nodes[name] = node
        return node

    # values -------------------------------------------------------------------------------------------------------

    def known(self, value: SSAValue) -> Array | None:
        """The array of a value of the text, if it is known."""
        found = self.values[value]
        return None if isinstance(found, SSAValue | Empty) else found

    def number(self, value: SSAValue, node: TextNode, role: str) -> int:
        """A number that is known; refused, as `role`, if a core would have to compute it."""
        found = self.known(value)
        if found is None:
            node.refuse(f"has {role} that is computed at run time: give sizes that are known")
        return int(found)

    def shape(self, value: SSAValue) -> Shape:
        """The shape of a value of the text, a number's is ()."""
        return shape_of_known(self.values[value])

    def tensor(self, value: SSAValue, node: TextNode) -> SSAValue:
        """A value of the text as one of the module: a constant becomes an operation when it is first asked for."""
        found = self.values[value]
        if isinstance(found, Empty):
            node.refuse(f"reads %{value.name_hint or '?'}, whose elements nobody has written: fill it first")
        return found if isinstance(found, SSAValue) else self.constant(found, node)

    def refuse_unwritten(self, value: SSAValue, node: TextNode) -> None:
        """Raise CompileError where an operation reads elements that nobody has written."""
        found = self.values[value]
        if isinstance(found, SSAValue) and found in self.unwritten:
            node.refuse(f"reads %{value.name_hint or '?'}, some elements of which nobody has written: fill it first")

    def constant(self, array: Array, node: TextNode, part: str = "") -> SSAValue:
        """An array as a value of the module."""
        known = self._constants.get(_place_of(array))
        if known is None:
            if not is_possible(array.shape):
                node.refuse(f"needs a constant of {product(array.shape)} elements: {LIMITS}")
            base = f"{node.name}/{part or 'constant'}"
            known = array, self.scope.weights(self.fresh(base), machine_array(array), None)
            self._constants[_place_of(array)] = known
        return known[1]

    def derived(self, array: Array, how: Hashable, make: Callable[[], Array]) -> Array:
        """What is made of an array, as `how` tells: once, though turns of a loop have new views of its elements."""
        key = _place_of(array), how
        if key not in self._derived:
            self._derived[key] = array, make()
        return self._derived[key][1]

    def dtype(self, value: SSAValue, node: TextNode) -> DType:
        """The element type of a value of the text, as the machine has it; doubles are told of."""
        kind: Any = value.type
        element = kind.get_element_type() if isinstance(kind, TensorType) else kind
        if element not in self._dtypes:
            if isinstance(element, Float64Type):
                self.scope.warn(DOUBLES)
            try:
                self._dtypes[element] = machine_type(element)
            except CompileError as error:
                node.refuse(str(error))
        return self._dtypes[element]


def _place_of(array: Array) -> Hashable:
    """What two arrays have in common that hold the same elements in the same memory."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def machine_array(array: Array) -> Array:
    """An array in a type of the machine."""
    return array.astype(np.float32) if array.dtype == np.float64 else array


def shape_of_known(found: Known) -> Shape:
    """The shape of a value."""
    return shape_of(found) if isinstance(found, SSAValue) else tuple(found.shape)


def dtype_of_known(found: Known) -> DType:
    """The machine's type of the elements of a value."""
    if isinstance(found, Empty):
        return found.dtype
    if isinstance(found, SSAValue):
        return dtype_of(found)
    return DType.of(np.dtype(np.float32) if found.dtype == np.float64 else found.dtype)

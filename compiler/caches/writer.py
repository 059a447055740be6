"""Writes the nodes of a network with caches of fixed capacity: those that compute with the position are made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, helper, numpy_helper

from compiler.basis.weights import Array
from compiler.caches.lengths import Length

Key = tuple[object, ...]


class CacheWriter:
    """`nodes` and `constants` so far; `position` is the input with the number of tokens in the caches, [1]."""

    def __init__(self, taken: Iterable[str], position: str) -> None:
        """`taken` are names that new values must not have."""
        self._names = set(taken)
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, Array] = {}
        self.position = self.fresh(position)
        self._made: dict[Key, str] = {}

    def fresh(self, name: str) -> str:
        """A name like this one that nothing has."""
        while name in self._names:
            name += "'"
        self._names.add(name)
        return name

    def emit(
        self, kind: str, inputs: Sequence[str], output: str = "", **attributes: int | float | list[int] | AttributeProto
    ) -> str:
        """A node of one output; returns what that is called."""
        made = output or self.fresh(f"{inputs[0]}/{kind.lower()}")
        self.nodes.append(helper.make_node(kind, list(inputs), [made], f"{made}/{kind}"))
        self.nodes[-1].attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        return made

    def constant(self, array: Array, name: str = "") -> str:
        """A constant; equal ones are one, unless it is called `name`."""
        key = ("constant", array.dtype.str, array.shape, array.tobytes())
        if not name and key in self._made:
            return self._made[key]
        made = name or self.fresh(f"{self.position}/constant.{len(self.constants)}")
        self.constants[made] = array
        self._made.setdefault(key, made)
        return made

    def numbers(self, values: Iterable[int]) -> str:
        """A constant list of int64."""
        return self.constant(np.array(list(values), np.int64))

    def tensors(self) -> list[TensorProto]:
        """The constants as initialisers."""
        return [numpy_helper.from_array(array, name) for name, array in self.constants.items()]

    def lowest(self, kind: int) -> str:
        """Minus infinity of an element type, as ONNX numbers them."""
        return self.constant(np.array(-np.inf, helper.tensor_dtype_to_np_dtype(kind)))

    def scalar_position(self) -> str:
        """The position without dimensions."""
        return self._once(("scalar",), lambda: self.emit("Squeeze", [self.position]))

    def end(self, length: Length) -> str:
        """Where an axis of `length`, which grows, ends: [1]."""
        if not length.fixed:
            return self.position
        return self._once(("end", length), lambda: self.emit("Add", [self.position, self.numbers([length.fixed])]))

    def valid(self, length: Length, room: int, behind: int) -> str:
        """Which of `room` places are in front of the end of `length`: bool [room] with `behind` axes of size 1."""

        def write() -> str:
            places = self.constant(np.arange(room).reshape(-1, *[1] * behind))
            return self.emit("Less", [places, self.end(length)])

        return self._once(("valid", length, room, behind), write)

    def places(self, first: int, shape: Sequence[int], axis: int) -> str:
        """The places of new elements of `shape` along `axis`, from position + `first` on: int64 of that shape."""

        def write() -> str:
            column = np.arange(first, first + shape[axis]).reshape(-1, *[1] * (len(shape) - axis - 1))
            found = self.emit("Add", [self.position, self.constant(column)])
            return self.emit("Expand", [found, self.numbers(shape)])

        return self._once(("places", first, *shape, axis), write)

    def _once(self, key: Key, write: Callable[[], str]) -> str:
        if key not in self._made:
            self._made[key] = write()
        return self._made[key]

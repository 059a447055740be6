"""The weight store: arrays of the network, by key, outside the IR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


class WeightStore:
    """Read-only arrays by key; a stored array may be a view into a memory-mapped model file.

    The store never copies and never converts: `put` keeps a read-only view, `get` returns it. A pass that changes
    weights puts a new array and leaves the old one, so keys held elsewhere stay valid until `discard`.
    """

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}
        self._serials: dict[str, int] = {}  # the last number that a name was given
        self.keep_all = False  # set when text that may still name any key is to be read

    def get(self, key: str) -> Array:
        """The array of `key`, read-only; raises KeyError for a key that was never put."""
        return self._arrays[key]

    def put(self, name: str, array: Array) -> str:
        """Keep `array` (not copied) and return its key: `name`, or `name.1`, `name.2`, ... when taken."""
        key = name
        while key in self._arrays:
            self._serials[name] = self._serials.get(name, 0) + 1
            key = f"{name}.{self._serials[name]}"
        view = array.view()
        view.flags.writeable = False
        self._arrays[key] = view
        return key

    def discard(self, key: str) -> None:
        """Forget `key`, so that the memory of an array that nothing uses any more can be freed (unless `keep_all`)."""
        if not self.keep_all:
            self._arrays.pop(key, None)

    def __contains__(self, key: object) -> bool:
        return key in self._arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

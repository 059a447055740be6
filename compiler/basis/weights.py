"""The weight store: arrays of the network, by key, outside the IR."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np

from compiler.basis.origin import Array, ElementOrigin
from emu.errors import CompileError, option

__all__ = ["Array", "WeightStore", "digest_of"]


class WeightStore:
    """Read-only arrays by key; a stored array may be a view into a memory-mapped file.

    The store never copies and never converts: `put` keeps a read-only view, `get` returns it. A pass that changes
    weights puts a new array and leaves the old one, so keys held elsewhere stay valid until `discard`. A text that was
    read promises arrays, by their digests; `fill` keeps such a promise. Where it is known, the store also says which
    element of which tensor of the network stands where in an array.
    """

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}
        self._serials: dict[str, int] = {}  # the last number that a name was given
        self._digests: dict[str, str] = {}  # of arrays that are promised, and of those that were asked for
        self._origins: dict[str, ElementOrigin] = {}
        self._shared: dict[tuple[str, str], str] = {}  # name and digest -> key

    def copy(self) -> WeightStore:
        """A store with the same arrays; what is put into one of them is not in the other one."""
        other = WeightStore()
        for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True):
            theirs.update(mine)
        return other

    def get(self, key: str) -> Array:
        """The array of `key`, read-only; raises KeyError if it was never put, CompileError if it is only promised."""
        if key in self._digests and key not in self._arrays:
            raise CompileError(f"the weights {key!r} are needed: name their file by {option('weights')}")
        return self._arrays[key]

    def put(self, name: str, array: Array, origin: ElementOrigin | None = None) -> str:
        """Keep `array` (not copied) of `origin`; return its key: `name`, or `name.1`, `name.2`, ... when taken."""
        key = name
        while self.is_known(key):
            self._serials[name] = self._serials.get(name, 0) + 1
            key = f"{name}.{self._serials[name]}"
        self.fill(key, array)
        if origin is not None:
            self._origins[key] = origin
        return key

    def share(self, name: str, array: Array) -> str:
        """`put` an array, unless an equal one was shared under this name and is still there: then its key."""
        content = name, digest_of(array)
        if self._shared.get(content) not in self._arrays:
            self._shared[content] = self.put(name, array)
        return self._shared[content]

    def derive(self, name: str, array: Array, key: str, view: Array | None = None) -> str:
        """`put` an array made from that of `key`: a view of it, or one that holds the elements of `view`, in C order.

        Elements may have changed, by a factor say, but each must come from the one of `view` in its place.
        """
        origin = self._origins.get(key)
        seen = array if view is None else view
        return self.put(name, array, origin and origin.of_view(self._arrays[key], seen, array.shape))

    def origin(self, key: str) -> ElementOrigin | None:
        """Where the elements of an array come from, if they are of one tensor and it is known."""
        return self._origins.get(key)

    def remember(self, origins: Mapping[str, ElementOrigin]) -> None:
        """Note the origins, by key, of arrays that are promised."""
        self._origins.update(origins)

    def fill(self, key: str, array: Array) -> None:
        """Keep `array` (not copied) as that of `key`, which has none yet."""
        view = np.asarray(array).view()
        view.flags.writeable = False
        self._arrays[key] = view

    def promise(self, digests: Mapping[str, str]) -> None:
        """Note the digests, by key, of arrays that will be filled in if somebody needs them."""
        self._digests.update(digests)

    def discard(self, key: str) -> None:
        """Forget `key`, so that the memory of an array that nothing uses any more can be freed."""
        self._arrays.pop(key, None)
        self._digests.pop(key, None)
        self._origins.pop(key, None)

    def digest(self, key: str) -> str:
        """SHA-256 (hex) of element type, shape and elements of an array: its name in a file of weights.

        Raises KeyError for a key that is not known.
        """
        if key not in self._digests:
            self._digests[key] = digest_of(self._arrays[key])
        return self._digests[key]

    def is_known(self, key: str) -> bool:
        """Whether `key` has an array, or the promise of one."""
        return key in self._arrays or key in self._digests

    def __contains__(self, key: object) -> bool:
        return key in self._arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


def digest_of(array: Array) -> str:
    """SHA-256 (hex) of element type, shape and elements of `array` in C order; the memory layout does not count."""
    digest = hashlib.sha256(f"{array.dtype.str} {array.shape}\n".encode())
    digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()

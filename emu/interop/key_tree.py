"""Parameters of other simulators as a tree of keys: what is taken by key, and that nothing else is in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from emu.errors import ArchError, shown
from emu.wording import nearest


class KeyTree:
    """The keys of a tree of objects, by dotted path; each is taken once, and what nobody took is refused.

    `null` is as a key that is missing. Sentences begin with the name of the file and name the key as the file does.
    """

    def __init__(self, tree: Mapping[str, Any], file_name: str) -> None:
        self._file = file_name
        self._values = dict(_leaves(tree, ""))
        self._taken: set[str] = set()

    def value(self, path: str, default: Any) -> Any:
        """The value of a key; the default if it is missing."""
        self._taken.add(path)
        found = self._values.get(path)
        return default if found is None else found

    def number(self, path: str, default: float | None, low: float = 0.0) -> float:
        """A number of at least `low`; a key without default is needed."""
        found = self.value(path, default)
        if found is None:
            raise self.refused(path, "is missing, and has no usual value")
        if not isinstance(found, (int, float)) or isinstance(found, bool) or not found >= low:
            raise self.refused(path, f"must be a number from {low:g} on, not {shown(found)}")
        return found

    def count(self, path: str, default: int) -> int:
        """A whole number of at least 0."""
        found = self.number(path, default)
        if int(found) != found:
            raise self.refused(path, f"must be a whole number, not {shown(found)}")
        return int(found)

    def flag(self, path: str, default: bool) -> bool:
        """true or false."""
        found = self.value(path, default)
        if not isinstance(found, bool):
            raise self.refused(path, f"must be true or false, not {shown(found)}")
        return found

    def choice(self, path: str, default: str, names: Collection[str], numbers: Mapping[int, str] | None = None) -> str:
        """One of `names`, which may be written as its number."""
        found = self.value(path, default)
        if isinstance(found, int) and not isinstance(found, bool):
            found = (numbers or {}).get(found, found)
        if not isinstance(found, str) or found not in names:
            guess = nearest(found, names) if isinstance(found, str) else ""
            raise self.refused(path, f"{shown(found)} is not modelled: it may be {', '.join(names)}{guess}")
        return found

    def only(self, path: str, usual: Any, why: str) -> None:
        """Refuse anything but the usual value of a key."""
        if (found := self.value(path, usual)) != usual:
            raise self.refused(path, f"{shown(found)} {why}")

    def refused(self, path: str, why: str) -> ArchError:
        """What is wrong with a key."""
        return ArchError(f"{self._file}: {path} {why}")

    def finish(self, idle: Collection[str]) -> None:
        """Refuse keys that nobody took, but those that match patterns of what changes no result."""
        for path in self._values:
            if path not in self._taken and not any(fnmatchcase(path, pattern) for pattern in idle):
                raise self.refused(path, f"is not modelled: leave it out{nearest(path, self._taken)}")


def _leaves(tree: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value

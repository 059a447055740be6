"""The version of the objects of --json, whoever prints them; and whether such an object is asked for."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which the command line must not import before it catches signals
if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = 1  # goes up when a field goes, or means something else (docs/json.md)


def asks_for_json(words: Sequence[str]) -> bool:
    """Whether a command line does; what stands behind `--` is somebody else's."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)

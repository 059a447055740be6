"""Finds functions and classes by name, "module:name": for imports on demand, and for use in other processes."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which the command line must not import before it catches signals
if TYPE_CHECKING:
    from typing import Any


def name_of(thing: Any) -> str:
    """The name of a function or class of a module."""
    return f"{thing.__module__}:{thing.__qualname__}"


def named(name: str) -> Any:
    """What has this name, imported now."""
    from importlib import import_module

    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)

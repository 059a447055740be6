"""Imports what a user names by its path, `package.module:Class`."""

from __future__ import annotations

import sys
from importlib import import_module


def by_path(path: str) -> object:
    """What has this path, also of the current directory; raises whatever its module does when it is imported."""
    module, _, name = path.partition(":")
    sys.path.append("")  # last: nothing in the current directory shadows what is installed
    try:
        return getattr(import_module(module), name)
    finally:
        sys.path.remove("")

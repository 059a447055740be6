"""Tells of a refusal which node of the network it is about."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from emu.errors import CompileError


@contextmanager
def about(node: str) -> Generator[None]:
    """A CompileError raised inside of it is about `node`, unless it names a node itself."""
    try:
        yield
    except CompileError as error:
        error.node = error.node or node
        raise

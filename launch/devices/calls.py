"""Calls of the methods of a board, and the check of their results."""

from __future__ import annotations

from typing import Any

import numpy as np

from launch.devices.failures import BoardFailed, BoardRaised

Wanted = tuple[tuple[int, ...], np.dtype]  # shape and type of an array


class DeviceCall:
    """One call, with the arguments `given` behind the group; what it returned is its `value` once it is `done`.

    `crossbar` is how the caller knows the group.
    """

    __slots__ = ("crossbar", "done", "given", "group", "method", "value", "wanted")

    def __init__(
        self, method: str, group: int, crossbar: str, given: tuple[Any, ...] = (), wanted: Wanted | None = None
    ) -> None:
        self.method, self.group, self.crossbar, self.given, self.wanted = method, group, crossbar, given, wanted
        self.done, self.value = False, None

    def __str__(self) -> str:
        return f"{self.method} of {self.crossbar}"

    def finish(self, value: Any, who: str) -> None:
        """Take what the board of `who` returned; raises BoardFailed if it is not what was asked for."""
        if isinstance(value, CallFailed):
            raise BoardRaised(f"{who} cannot {self.method} {self.crossbar}: {value}")
        if self.wanted is not None and (fault := _fault(value, *self.wanted)):
            raise BoardFailed(f"{who} was asked to {self.method} {self.crossbar}, and answered {fault}")
        self.done, self.value = True, value


class CallFailed(str):
    """Why a call has failed."""

    __slots__ = ()


class UnexpectedResult(str):
    """A result that is no array: the name of its type."""

    __slots__ = ()


def _fault(value: Any, shape: tuple[int, ...], dtype: np.dtype) -> str:
    """How a result differs from an array of this shape and type; empty if it does not."""
    if not isinstance(value, np.ndarray):
        kind = value if isinstance(value, UnexpectedResult) else type(value).__name__
        return f"a {kind} in place of {dtype}{list(shape)}"
    if (value.shape, value.dtype) != (shape, dtype):
        return f"{value.dtype}{list(value.shape)} in place of {dtype}{list(shape)}"
    return ""

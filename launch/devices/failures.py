"""What can go wrong with a device, beside what can go wrong with any run."""

from __future__ import annotations

from emu.errors import EmuError, InputError


class DeviceError(InputError):
    """A call that means nothing: what it is about is released, too large, not written, or not there (exit code 2)."""


class BoardFailed(EmuError):
    """A back end could not do what it was asked for, or answered with something else (exit code 3)."""

    exit_code = 3


class BoardRaised(BoardFailed):
    """A back end has refused a call, by an exception of its own."""

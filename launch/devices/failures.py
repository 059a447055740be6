"""Errors of devices, in addition to those of any run."""

from __future__ import annotations

from emu.errors import EmuError, InputError

_LONGEST = 400  # characters of what a board says


class DeviceError(InputError):
    """An invalid call: its crossbar is released, too large, not written, or does not exist (exit code 2)."""


class BoardFailed(EmuError):
    """A back end has failed, or has returned an invalid result (exit code 3)."""

    exit_code = 3


class BoardRaised(BoardFailed):
    """A back end has raised an exception of its own."""


def said_by(error: Exception) -> str:
    """The exception of a board as part of a sentence: one line of bounded length."""
    text = " ".join(str(error).split())
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return f"{type(error).__name__}: {short}" if short else type(error).__name__

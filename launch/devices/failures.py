"""What can go wrong with a device, beside what can go wrong with any run."""

from __future__ import annotations

from emu.errors import EmuError, InputError

_LONGEST = 400  # characters of what a board says


class DeviceError(InputError):
    """A call that means nothing: what it is about is released, too large, not written, or not there (exit code 2)."""


class BoardFailed(EmuError):
    """A back end could not do what it was asked for, or answered with something else (exit code 3)."""

    exit_code = 3


class BoardRaised(BoardFailed):
    """A back end has refused a call, by an exception of its own."""


def said_by(error: Exception) -> str:
    """What a board has raised, as part of a sentence: one line of bounded length, whatever its text is."""
    text = " ".join(str(error).split())
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return f"{type(error).__name__}: {short}" if short else type(error).__name__

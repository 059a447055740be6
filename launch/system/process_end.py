"""How a process has ended, in words."""

from __future__ import annotations

import signal


def end_words(status: int) -> str:
    """What follows the name of a process with this exit code, or minus the signal that killed it."""
    return f"was killed by {signal_name(-status)}" if status < 0 else f"ended with exit code {status}"


def signal_name(number: int) -> str:
    """`SIGKILL`, or `signal 64` of one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

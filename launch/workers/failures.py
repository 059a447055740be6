"""How a request to a worker can fail; callers turn these into errors of their own."""

from __future__ import annotations

from collections.abc import Sequence


class WorkerFailed(Exception):
    """A request has failed: there is no usable answer."""


class WorkerRefusal(WorkerFailed):
    """The request cannot be met; the text says why. Raised by functions of a worker, and again in the caller."""


class UnreadableMessage(WorkerFailed):
    """The bytes received are no message, or no answer; the text says what they are."""


class WorkerDied(WorkerFailed):
    """The process ended unexpectedly, with `status` as of `subprocess` (minus the signal that killed it).

    With a `traceback`, of a bug in the function that was asked for, it still runs. `last_words` are the last line that
    it wrote to its standard error, if that is captured, or of the traceback.
    """

    def __init__(self, status: int, traceback: str = "", errors: str = "") -> None:
        self.status, self.traceback = status, traceback
        lines = (traceback or errors).strip().splitlines()
        self.last_words = lines[-1] if lines else ""
        super().__init__(self.last_words or f"status {status}")


class WorkerTimedOut(WorkerFailed):
    """No answer came within `seconds`; `doing` says what the process does instead."""

    def __init__(self, seconds: float, doing: Sequence[str]) -> None:
        self.seconds, self.doing = seconds, list(doing)
        super().__init__("; ".join(self.doing))

"""SIGTERM and SIGHUP as exceptions: temporary directories and processes go as they do with Ctrl-C."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Terminated(KeyboardInterrupt):
    """This process was asked to end by signal `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def raise_on_signals() -> None:
    """From now on SIGTERM and SIGHUP raise `Terminated`, once; ignored ones (nohup) stay ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise)


def _raise(number: int, _frame: FrameType | None) -> NoReturn:
    for other in SIGNALS:  # what follows is the clean-up
        signal.signal(other, signal.SIG_IGN)
    raise Terminated(number)

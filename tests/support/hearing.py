"""Signals that this process ignores would be ignored by all that it starts, too."""

import signal


def hear_signals() -> None:
    """Make handlers of what `nohup` or a shell's `&` ignores: no program that is started would ever be ended by it.

    A handler, unlike being ignored, is not inherited by a program that is started.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)

"""Ends a program by an exception at any chosen step of the interpreter, as Ctrl-C or SIGTERM can."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from itertools import count
from types import FrameType
from typing import Any


def interrupted_at(step: int, files: tuple[str, ...], opcodes: bool) -> Callable[..., Any]:
    """A trace function that raises KeyboardInterrupt at a line (or opcode) of `files`, the one number `step`."""
    steps = 0

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        nonlocal steps
        if not frame.f_code.co_filename.endswith(files):
            return None
        frame.f_trace_opcodes = opcodes
        steps += 1
        if steps == step:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    return trace


def run_interrupted(
    action: Callable[[], None], check: Callable[[], None], files: tuple[str, ...], opcodes: bool, pace: int
) -> int:
    """Fork for every `pace`-th line or opcode, let the child end as a program does, then `check`.

    Returns how many steps were interrupted.
    """
    for number in count():
        step = 1 + number * pace
        child = os.fork()
        if not child:
            sys.settrace(interrupted_at(step, files, opcodes))
            try:
                action()
                code = 0
            except KeyboardInterrupt:
                code = 3
            sys.settrace(None)
            sys.exit(code)  # with all that is done at the end of a program
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, 3), (step, code)
        check()
        if code == 0:
            return number
    raise AssertionError

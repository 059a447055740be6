"""The server side of a worker: a table of functions, called by name until the caller's socket ends.

Imports little: what a worker that is measured loads is what the function that it calls loads.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from socket import socket
from typing import Any

from launch.processes.reaping import die_with
from launch.workers.channel import SocketChannel, packed
from launch.workers.failures import WorkerRefusal

VALUE, REFUSAL, BUG = "value", "refusal", "bug"  # what the second part of an answer is
Functions = Mapping[str, Callable[..., Any]]


def serve(functions: Functions) -> None:
    """Serve `functions` to the process that started `python -m MODULE PARENT SOCKET`; ends when the socket does.

    A function is given its arguments by keyword. It raises `WorkerRefusal` for what cannot be done; any other exception
    is told with its traceback, as a death would tell nothing, and the next request is waited for. Dies with PARENT.
    """
    parent, descriptor = map(int, sys.argv[1:])
    if not die_with(parent):
        return
    os.set_inheritable(descriptor, False)  # what a function starts must not hold it open
    with socket(fileno=descriptor) as end, contextlib.suppress(ConnectionError, EOFError):  # nobody asks any more
        channel = SocketChannel(end, lambda writing: None)
        while True:
            channel.send(_answer(functions, channel.receive()))


def _answer(functions: Functions, request: Any) -> list[memoryview]:
    """The answer to a request, ready to be sent."""
    try:
        name, given = request
        return packed([VALUE, functions[name](**given)])
    except WorkerRefusal as refusal:
        return packed([REFUSAL, str(refusal)])
    except Exception:
        return packed([BUG, traceback.format_exc()])

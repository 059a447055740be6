"""A process that computes host nodes: `python -m launch.hosts.host_worker PARENT SOCKET`.

It gets a `Task` from the socket and then, for each sample, arrays by name; it answers with results by name, or with the
reason why there are none. It ends when the socket does, and dies with PARENT.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
import warnings
from pathlib import Path
from socket import socket
from typing import Any

import numpy as np

from compiler.frontend.golden import Refused
from compiler.segments.evaluators import evaluator
from launch.hosts.channel import Channel
from launch.hosts.messages import Answer, Task, plain
from launch.processes.reaping import die_with


def serve(channel: Channel) -> None:
    """Compute sample by sample until nobody can ask any more."""
    task = Task(**channel.receive())
    try:
        shapes = {name: tuple(shape) for name, shape in task.shapes.items()}
        name, run = evaluator(Path(task.model), task.outputs, shapes)
    except Refused as error:
        channel.send(plain(Answer(fault=str(error))))
        return
    channel.send(plain(Answer({"evaluator": name})))
    while True:
        try:
            given: dict[str, Any] = channel.receive()
        except EOFError:
            return
        try:
            values = dict(zip(task.outputs, run(given), strict=True))
            answer = Answer({name: _own(value) for name, value in values.items()})
        except Refused as error:
            answer = Answer(fault=str(error))
        except Exception as error:  # told with the reason, as a death would tell nothing
            answer = Answer(fault=f"{type(error).__name__}: {error}", bug=traceback.format_exc())
        channel.send(plain(answer))


def _own(value: Any) -> Any:
    """An output as it is sent: a sequence is a list of arrays."""
    return [np.asarray(item) for item in value] if isinstance(value, list) else np.asarray(value)


if __name__ == "__main__":
    parent, descriptor = sys.argv[1:]
    if die_with(int(parent)):
        warnings.simplefilter("ignore")  # of libraries, about what models hold
        with contextlib.suppress(ConnectionError, EOFError):  # nobody waits any more
            serve(Channel(socket(fileno=int(descriptor)), lambda writing: None))

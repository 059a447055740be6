"""What runs in a worker of Dask: a task that starts an agent as a process of its own and lasts as long as it."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from launch.machines.bootstrap import Bootstrap
from launch.machines.engines.started import Started
from launch.processes.interpreter import child_environment

_running: dict[str, Started] = {}  # by key of the task; in the worker
_lock = threading.Lock()


def run_agent(key: str, bootstrap: Bootstrap, rank: int, name: str) -> str:
    """Run an agent with the interpreter of this worker until it ends; how it did, in words.

    The process of the worker computes nothing meanwhile, so that its own beats to the scheduler go on.
    """
    agent = Started(bootstrap.command(rank, name), bootstrap.line(), child_environment(computes=False))
    with _lock:
        _running[key] = agent
    try:
        return agent.end_words()
    finally:
        end_agents([key])


def end_agents(keys: Sequence[str]) -> None:
    """End the agents of these tasks that this worker runs: a task that is cancelled would run on."""
    with _lock:
        Started.end([_running.pop(key) for key in keys if key in _running])

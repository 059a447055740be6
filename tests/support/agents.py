"""Agents on this machine for tests: real processes, started as an engine starts them, or forked from a warm one."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from emu_processes import EmuProcess, EmuProcesses

from launch.chips.power import ProcessChip, power_on
from launch.machines.bootstrap import Bootstrap
from launch.machines.handle import AgentHandle
from launch.machines.joining import Joined
from launch.machines.listening import AgentListener
from launch.machines.remote import RemoteMachine
from launch.processes.interpreter import child_environment

PATIENCE = 30.0


# A session of its own, and a BLAS of one thread, as the agent says in its environment: NumPy is imported already.
BEFORE = "import os; os.setsid(); from emu.core.products.threads import one_blas_thread; one_blas_thread()"
Agent = subprocess.Popen[str] | EmuProcess
warm: list[Callable[[], EmuProcesses]] = []  # at most one: who forks agents, in place of fresh interpreters


def start_agent(
    bootstrap: Bootstrap, rank: int | None, *more: str, address: str = "", variables: Mapping[str, str] | None = None
) -> Agent:
    """An agent that joins at `address`, or where the launcher listens; `more` are further arguments."""
    placed = replace(bootstrap, address=address or bootstrap.address)
    if warm:
        words, environment = (
            [*placed.arguments(rank), *more],
            {**child_environment(computes=False), **(variables or {})},
        )
        agent: Agent = warm[0]().start(*words, before=BEFORE, stdin=subprocess.PIPE, env=environment)
    else:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        environment = {**child_environment(), **(variables or {})}
        agent = subprocess.Popen([*placed.command(rank), *more], text=True, env=environment, **pipes)
    assert agent.stdin
    agent.stdin.write(placed.line().decode())
    agent.stdin.flush()
    return agent


def ended(agent: Agent, seconds: float = PATIENCE) -> tuple[int, str]:
    """Exit code and what it has said on stderr."""
    try:
        _, errors = agent.communicate(timeout=seconds)
    finally:
        stop(agent)
    return agent.returncode, errors


def stop(agent: Agent) -> None:
    """End it, if it has not ended."""
    if agent.poll() is None:
        agent.kill()
        agent.wait()
    for stream in (agent.stdin, agent.stdout, agent.stderr):
        with contextlib.suppress(BrokenPipeError):
            stream.close()


@contextmanager
def joined_agents(count: int, *more: str) -> Iterator[list[AgentHandle]]:
    """So many agents that have joined a launcher in this process."""
    agents: list[Agent] = []
    try:
        with AgentListener() as listener:
            agents += [start_agent(listener.bootstrap, rank, "--name", f"h{rank}", *more) for rank in range(count)]
            yield listener.wait_for(count, PATIENCE)
        for agent in agents:
            code, errors = ended(agent)
            assert (code, errors) == (0, "")
    finally:
        for agent in agents:
            stop(agent)


def pump_until(handle: AgentHandle, condition, seconds: float = PATIENCE) -> None:
    """Handle messages until `condition` holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it took too long"
        handle.wait(0.05)
        handle.pump()


@contextmanager
def power_on_agents(image: Path, count: int = 2, products: str = "", **named: Any) -> Iterator[ProcessChip]:
    """The chip of `image` with its cores on so many agents, h0 and so on."""
    named = {"transport": "tcp", "timeout": 60} | named
    with joined_agents(count) as agents:
        others = [RemoteMachine(agent, products) for agent in agents]
        with power_on(image, others=others, **named) as chip:
            yield chip


@contextmanager
def linked(listener: AgentListener, address: str = "", rank: int = 0) -> Iterator[tuple[AgentHandle, Joined]]:
    """Both ends of a link in this process."""
    bootstrap = replace(listener.bootstrap, address=address or listener.bootstrap.address)
    with Joined(bootstrap) as joined:
        thread = threading.Thread(target=joined.join, args=(rank, f"h{rank}", PATIENCE))
        thread.start()
        handle = listener.wait_for(rank + 1, PATIENCE)[rank]
        thread.join()
        yield handle, joined

"""Agents on this machine for tests: real processes, started as an engine starts them."""

import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from launch.chips.power import ProcessChip, power_on
from launch.machines.bootstrap import Bootstrap
from launch.machines.handle import AgentHandle
from launch.machines.joining import Joined
from launch.machines.listening import AgentListener
from launch.machines.remote import RemoteMachine
from launch.processes.interpreter import child_environment

PATIENCE = 30.0


def start_agent(
    bootstrap: Bootstrap, rank: int | None, *more: str, address: str = "", variables: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """An agent that joins at `address`, or where the launcher listens; `more` are further arguments."""
    placed = replace(bootstrap, address=address or bootstrap.address)
    agent = subprocess.Popen(
        [*placed.command(rank), *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**child_environment(), **(variables or {})},
    )
    assert agent.stdin
    agent.stdin.write(placed.line().decode())
    agent.stdin.flush()
    return agent


def ended(agent: subprocess.Popen[str], seconds: float = PATIENCE) -> tuple[int, str]:
    """Exit code and what it has said on stderr."""
    try:
        _, errors = agent.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        agent.kill()
        agent.communicate()
        raise
    return agent.returncode, errors


@contextmanager
def joined_agents(count: int, *more: str) -> Iterator[list[AgentHandle]]:
    """So many agents that have joined a launcher in this process."""
    agents: list[subprocess.Popen[str]] = []
    try:
        with AgentListener() as listener:
            agents += [start_agent(listener.bootstrap, rank, "--name", f"h{rank}", *more) for rank in range(count)]
            yield listener.wait_for(count, PATIENCE)
        for agent in agents:
            code, errors = ended(agent)
            assert (code, errors) == (0, "")
    finally:
        for agent in agents:
            agent.kill()
            agent.communicate()


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

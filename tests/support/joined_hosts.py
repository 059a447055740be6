"""Chips on several machines, all of which are this one: what they share is the network."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

from launch.chips.power import power_on
from launch.processes.local_machine import LocalMachine
from launch.processes.zygote_process import ZygoteProcess, start_fresh


class Fresh:
    """Zygotes that have the environment of the test: fresh interpreters, whatever others share."""

    def start(self, scratch=""):
        return ZygoteProcess(scratch, start_fresh)


def host(number: int) -> str:
    return f"h{number + 1}"


@contextmanager
def hosts(count, zygotes):
    """So many machines, h1 and so on, which end with the context."""
    with ExitStack() as stack:
        made = []
        for number in range(count):
            made.append(LocalMachine(zygotes.start(), host(number), "127.0.0.1"))
            stack.callback(made[-1].close)
        yield made


@contextmanager
def power_on_hosts(image, zygotes, count=2, **named):
    """The chip of `image` with its cores on `count` hosts, by default in blocks."""
    named = {"transport": "tcp", "timeout": 60} | named
    with hosts(count, zygotes) as others, power_on(image, zygotes=zygotes, others=others, **named) as chip:
        yield chip

"""A link that is cut for a while loses nothing, who is silent for longer is lost; whom a launcher does not let in."""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from agents import PATIENCE, linked, pump_until
from cut_proxy import CutProxy

from emu.errors import InputError
from emu.noc.wire.zeromq.library import ZeroMq
from launch.machines.handle import AgentHandle
from launch.machines.joining import Joined, LauncherSilent
from launch.machines.listening import LOST, AgentListener

CUTS = {"frozen": CutProxy.freeze, "severed": CutProxy.sever, "damaged": CutProxy.damage}


@contextmanager
def through_proxy() -> Iterator[tuple[AgentHandle, Joined, CutProxy]]:
    with AgentListener() as listener:
        port = int(listener.bootstrap.address.rpartition(":")[2])
        with CutProxy(port) as proxy, linked(listener, proxy.address) as (handle, joined):
            yield handle, joined, proxy


@pytest.mark.parametrize("cut", CUTS)
def test_a_link_that_is_cut_for_two_seconds_loses_nothing(cut):
    with through_proxy() as (handle, joined, proxy):
        up: list[int] = []
        down: list[int] = []
        handle.on("WORD", lambda number, data: up.append(number))
        joined.end.on("WORD", lambda number, data: down.append(number))
        begin, number, healed = time.monotonic(), 0, False
        CUTS[cut](proxy)
        while number < 250:
            number += 1
            handle.send("WORD", number=number, data=b"x" * 5000)
            joined.end.send("WORD", number=number, data=b"x" * 5000)
            time.sleep(0.01)
            if not healed and time.monotonic() - begin > 2:
                healed = True
                proxy.heal()
        pump_until(handle, lambda: len(up) >= 250)
        joined.end.pump()
        while len(down) < 250 and time.monotonic() - begin < PATIENCE:
            joined.end.wait(0.05)
            joined.end.pump()
        assert up == down == list(range(1, 251))
        assert not handle.lost
        assert not joined.end.lost


def test_no_file_for_a_new_connection_is_no_end_of_the_link(monkeypatch):
    connect, left = ZeroMq.connect, [True, False, False]

    def scarce(self, *where):
        if left and not left.pop(0):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return connect(self, *where)

    monkeypatch.setattr(ZeroMq, "connect", scarce)
    with through_proxy() as (handle, joined, proxy):
        proxy.sever()
        time.sleep(1.8)
        proxy.heal()
        joined.end.on("WORD", lambda: joined.end.send("ANSWER_TO_WORD"))
        heard: list[bool] = []
        handle.on("ANSWER_TO_WORD", lambda: heard.append(True))
        handle.send("WORD")
        begin = time.monotonic()
        while not heard and time.monotonic() - begin < PATIENCE:
            for end in (joined.end, handle):
                end.wait(0.02)
                end.pump()
        assert heard and not left and not handle.lost


def test_what_is_cut_off_for_longer_is_lost_at_both_ends():
    with through_proxy() as (handle, joined, proxy):
        begin = time.monotonic()
        proxy.freeze()
        pump_until(handle, lambda: handle.gone)
        assert LOST - 0.6 < time.monotonic() - begin < LOST + 4
        assert handle.loss([3, 4, 5, 9]).startswith("host h0 is lost (cores 3-5, 9), last seen at ")
        while not joined.end.lost:
            assert time.monotonic() - begin < 20
            joined.end.wait(0.1)
        with pytest.raises(LauncherSilent, match="is silent for 5 s"):
            joined.check_alive()


def test_messages_of_a_megabyte_come_through():
    with AgentListener() as listener, linked(listener) as (handle, joined):
        pieces: list[bytes] = []
        joined.end.on("PIECE", lambda data: pieces.append(data))
        for number in range(32):
            handle.send("PIECE", data=bytes([number]) * (1 << 20))
        begin = time.monotonic()
        while len(pieces) < 32:
            assert time.monotonic() - begin < PATIENCE
            joined.end.wait(0.1)
            joined.end.pump()
        assert pieces == [bytes([number]) * (1 << 20) for number in range(32)]


def refusal(listener: AgentListener, rank: int = 0, **wrong: str) -> str:
    """What an agent is told whose line says something `wrong`."""
    with Joined(replace(listener.bootstrap, **wrong)) as joined, pytest.raises(InputError) as refused:
        joined.join(rank, f"h{rank}", 1.0)
    return str(refused.value)


def test_another_secret_is_refused_and_named_when_somebody_is_missing():
    with AgentListener() as listener:
        assert refusal(listener, secret="0" * 64).endswith("an agent has another secret than this launcher's")
        with pytest.raises(InputError, match=r"agents 0-1 have not joined within 0\.1 s.*another secret"):
            listener.wait_for(2, 0.1)
        with linked(listener):  # who has the right one joins all the same
            pass


def test_who_has_another_key_gets_no_answer():
    with AgentListener() as listener, AgentListener() as other:
        told = refusal(listener, server_key=other.bootstrap.server_key)
        assert "has answered within 1 s: check that it runs" in told


def test_a_rank_that_is_there_is_refused():
    with AgentListener() as listener, linked(listener):
        assert "has an agent 0, and there is one already" in refusal(listener)
        with pytest.raises(InputError, match="host h0 has an agent 0"):
            listener.wait_for(2, 5)


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr("launch.machines.listening.versions", lambda: {"emu": "0.1.0", "numpy": "1.0"})
    with AgentListener() as listener:
        told = refusal(listener)
        assert "host h0 has numpy 2" in told
        assert "and the launcher 1.0: install the same on both" in told
        with pytest.raises(InputError, match="host h0 has numpy"):
            listener.wait_for(1, 5)


def test_an_agent_beyond_their_number_is_refused():
    told = pytest.raises(InputError, match="agent 1 has joined, and there should be 1 agent")
    with AgentListener() as listener, linked(listener), linked(listener, rank=1), told:
        listener.wait_for(1, 5)


def test_who_has_ended_before_it_joined_is_named():
    with (
        AgentListener() as listener,
        pytest.raises(InputError, match="the agent of host h1 is gone; it had not"),
    ):
        listener.wait_for(2, 5, lambda: [("h1", "the agent of host h1 is gone")])


def test_a_second_launcher_at_the_address_of_the_first_is_not_heard():
    with AgentListener() as first, AgentListener() as second, through_to(first, second) as (joined, proxy, target):
        proxy.sever()
        proxy.redirect(target)
        proxy.heal()
        begin = time.monotonic()
        while not joined.end.lost:
            assert time.monotonic() - begin < 20
            joined.end.wait(0.1)


@contextmanager
def through_to(first: AgentListener, second: AgentListener) -> Iterator[tuple[Joined, CutProxy, int]]:
    ports = [int(each.bootstrap.address.rpartition(":")[2]) for each in (first, second)]
    with CutProxy(ports[0]) as proxy, linked(first, proxy.address) as (_, joined):
        yield joined, proxy, ports[1]

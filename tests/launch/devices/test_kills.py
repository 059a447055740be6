"""A core process that is killed at any moment of any session is named in time, and nothing of the device is left."""

from __future__ import annotations

import os
import signal
import threading
import time

import leaks
import pytest
from device_sessions import Player, Session, sessions
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from launch import device
from launch.devices.device import Device
from launch.supervision.errors import CoreDied

CORES = 2
FEW, MANY = 10, 200
TIMEOUT, IN_TIME = 60.0, 10.0  # seconds for a call, and until a death is known on a machine that is busy
LATEST = 0.05  # seconds: some sessions take as long
ENDED = "was killed by SIGKILL"


def play_until_it_dies(powered: Device, session: Session) -> None:
    """The session, again and again; what it leaves out of the cores is used, too."""
    end = time.monotonic() + IN_TIME
    while time.monotonic() < end:
        Player(powered).play(session)
        for crossbar in [powered.acquire(1, 1) for _ in range(CORES)]:  # each on a core with the most free ones
            crossbar.write([[1]])
            crossbar.release()


def killed(session: Session, core: int, moment: float) -> None:
    before, descriptors = leaks.LeftoverCheck.now(), set(os.listdir("/proc/self/fd"))  # noqa: PTH208
    died = list[float]()

    def kill(process: int) -> None:
        os.kill(process, signal.SIGKILL)
        died.append(time.monotonic())

    with pytest.raises(CoreDied) as raised, device("tiny", CORES, timeout=TIMEOUT) as powered:
        timer = threading.Timer(moment, kill, (powered.processes[f"core {core} of the device"],))
        timer.start()
        try:
            play_until_it_dies(powered, session)
        finally:
            timer.join()
            known = time.monotonic()
    assert known - died[0] < IN_TIME
    error = raised.value
    assert (error.core, error.exit_code, error.status) == (core, 5, -signal.SIGKILL)
    assert str(error).startswith(f"core {core} of the device") and str(error).endswith(ENDED)
    left = leaks.wait_until_gone(before)
    assert not left, left
    assert set(os.listdir("/proc/self/fd")) == descriptors  # noqa: PTH208


cases = given(sessions, st.integers(0, CORES - 1), st.floats(0, LATEST))
once = settings(phases=[Phase.generate])  # what depends on the moment is not found again


@settings(once, max_examples=FEW)
@cases
def test_kills_in_the_middle(session: Session, core: int, moment: float) -> None:
    killed(session, core, moment)


@pytest.mark.full
@settings(once, max_examples=MANY)
@cases
def test_two_hundred_kills(session: Session, core: int, moment: float) -> None:
    killed(session, core, moment)

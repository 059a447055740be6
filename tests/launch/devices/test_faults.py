"""Boards and processes that fail: one sentence names core and call, in time, with the right class and exit code."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import strange_boards

from emu.errors import EmuError
from launch import device
from launch.devices import lines
from launch.devices.crossbar import Crossbar
from launch.devices.device import Device
from launch.devices.failures import BoardFailed, BoardRaised, DeviceError
from launch.supervision.errors import CoreDied, RunTimeout
from launch.system.process_state import alive

TIMEOUT = 1.5
SLOW_MACHINE = 30.0  # seconds
MATRIX, VECTOR = np.ones((3, 2), np.float32), np.ones(3, np.float32)


@pytest.fixture(autouse=True)
def _strange_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(strange_boards.__file__).parent))


@pytest.fixture
def chip() -> Iterator[Device]:
    with device("tiny", 2, timeout=TIMEOUT) as powered:
        yield powered


def written(powered: Device) -> Crossbar:
    crossbar = powered.acquire(3, 2)
    crossbar.write(MATRIX)
    return crossbar


def failure(maker: str, timeout: float = TIMEOUT, calls: Callable[[Crossbar], Any] | None = None) -> EmuError:
    """What comes of a product with such a board; it is raised again by all that follows."""
    with pytest.raises(EmuError) as raised, device("tiny", 1, backend=f"strange_boards:{maker}", timeout=timeout) as on:
        processes = list(on.processes.values())
        try:
            crossbar = written(on)
            (calls or (lambda held: held.gemv(VECTOR).result()))(crossbar)
        except EmuError as error:
            for again in (on.barrier, lambda: on.acquire(1, 1)):
                with pytest.raises(type(error)) as later:
                    again()
                assert str(later.value) == str(error)
            raise
    assert not any(map(alive, processes))
    return raised.value


@pytest.mark.parametrize(
    ("maker", "answer"),
    [
        ("Wide", "float32[1, 3]"),
        ("OtherType", "float64[1, 2]"),
        ("Lists", "a list"),
        ("Texts", "a str"),
        ("Objects", "a ndarray"),
    ],
)
def test_a_board_that_lies(maker: str, answer: str) -> None:
    error = failure(maker)
    assert isinstance(error, BoardFailed) and error.exit_code == 3
    asked = "core 0 of the device was asked to multiply crossbar 0"
    assert str(error) == f"{asked}, and answered {answer} in place of float32[1, 2]"


@pytest.mark.parametrize(
    ("maker", "call", "why"),
    [
        ("Raising", "multiply", "OSError: the cable is loose"),
        ("Verbose", "multiply", "OSError: no answer no answer "),
        ("Mute", "multiply", "OSError"),
        ("Refusing", "acquire", "ValueError: no such type here"),
        ("Forgetful", "write", "AttributeError: "),
    ],
)
def test_a_board_that_raises(maker: str, call: str, why: str) -> None:
    error = failure(maker)
    assert isinstance(error, BoardRaised) and error.exit_code == 3
    assert str(error).startswith(f"core 0 of the device cannot {call} crossbar 0: {why}")
    assert "\n" not in str(error) and len(str(error)) < 500


def test_what_a_board_prints_is_no_answer() -> None:
    with device("tiny", 1, backend="strange_boards:Talking", timeout=SLOW_MACHINE) as powered:
        assert written(powered).gemv(VECTOR).result().tolist() == [3, 3]


def test_a_board_that_ends_its_process() -> None:
    error = failure("Leaving")
    assert isinstance(error, CoreDied) and (error.exit_code, error.core) == (5, 0)
    assert str(error) == "core 0 of the device with open calls (multiply of crossbar 0) ended with status 7"


@pytest.mark.parametrize(("maker", "call"), [("Silent", "multiply"), ("Deaf", "write")])
def test_a_board_that_does_not_answer(maker: str, call: str) -> None:
    began = time.monotonic()
    error = failure(maker)
    assert TIMEOUT <= time.monotonic() - began < SLOW_MACHINE
    assert isinstance(error, RunTimeout) and (error.exit_code, error.seconds) == (6, TIMEOUT)
    assert error.unfinished == [f"core 0 of the device computes with open calls ({call} of crossbar 0)"]


def test_the_first_of_many_open_calls_are_named() -> None:
    error = failure("Silent", calls=lambda held: [held.gemv(VECTOR) for _ in range(6)][-1].result())
    assert str(error).endswith(
        "with open calls (multiply of crossbar 0, multiply of crossbar 0, multiply of crossbar 0 and 3 more)"
    )


def test_a_board_that_answers_late() -> None:
    error = failure("Late")
    assert isinstance(error, RunTimeout) and "multiply of crossbar 0" in str(error)


def test_many_slow_calls_are_not_one_that_is_late() -> None:
    """The time is that for one call, however many are under way."""
    calls = 8
    with device("tiny", 1, backend="strange_boards:Slow", timeout=5 * strange_boards.CALL) as powered:
        crossbar = written(powered)
        futures = [crossbar.gemv(VECTOR * number) for number in range(calls)]
        assert [future.result()[0] for future in futures] == [3 * number for number in range(calls)]


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        ("strange_boards:Nobody", "core 0 of the device: back end 'strange_boards:Nobody' cannot be imported: "),
        ("no_such_module:Board", "core 0 of the device: back end 'no_such_module:Board' cannot be imported: "),
        ("broken_board:Board", "back end 'broken_board:Board' cannot be imported: RuntimeError: the driver is missing"),
        ("strange_boards:Unmade", "back end 'strange_boards:Unmade' cannot be made: RuntimeError: no board at port 0"),
        ("strange_boards:number", "back end 'strange_boards:number' cannot be made: TypeError: 'int' object"),
        ("strange_boards:", "cannot be imported"),
        ("nobody", "back end 'nobody' is unknown: use processes, sequential, numpy"),
    ],
)
def test_a_maker_that_cannot_be_had(backend: str, words: str) -> None:
    with pytest.raises(DeviceError) as raised, device("tiny", 2, backend=backend, timeout=SLOW_MACHINE):
        pass
    assert words in str(raised.value) and raised.value.exit_code == 2
    assert "\n" not in str(raised.value)


def test_a_maker_that_never_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "START", TIMEOUT)
    with pytest.raises(RunTimeout) as raised, device("tiny", 1, backend="strange_boards:NeverMade", timeout=TIMEOUT):
        pass
    assert raised.value.unfinished == ["core 0 of the device computes while its board is made"]


def test_a_process_that_is_killed_before_its_board_is_made() -> None:
    with pytest.raises(CoreDied) as raised, device("tiny", 2, backend="strange_boards:KilledWhenMade", timeout=TIMEOUT):
        pass
    assert str(raised.value) == "core 0 of the device while its board is made was killed by SIGKILL"


def test_a_process_that_is_killed_with_open_futures(chip: Device) -> None:
    first, second = written(chip), written(chip)
    assert (first.core, second.core) == (0, 1)
    done = second.gemv(VECTOR)
    done.result()
    os.kill(chip.processes["core 1 of the device"], signal.SIGSTOP)
    futures = [second.gemv(VECTOR) for _ in range(2)]
    os.kill(chip.processes["core 1 of the device"], signal.SIGKILL)
    for future in futures:  # each tells it
        with pytest.raises(CoreDied) as raised:
            future.result()
        assert (raised.value.exit_code, raised.value.core, raised.value.status) == (5, 1, -signal.SIGKILL)
        calls = "multiply of crossbar 1, multiply of crossbar 1"
        assert str(raised.value) == f"core 1 of the device with open calls ({calls}) was killed by SIGKILL"
    assert done.result().tolist() == [3, 3]  # what had come stays
    with pytest.raises(CoreDied):
        first.gemv(VECTOR)


def test_a_process_that_is_stopped() -> None:
    told = list[str]()
    with pytest.raises(RunTimeout) as raised, device("tiny", 1, timeout=2.5, notice=told.append) as powered:
        crossbar = written(powered)
        os.kill(next(iter(powered.processes.values())), signal.SIGSTOP)
        crossbar.gemv(VECTOR).result()
    stopped = "core 0 of the device is stopped (SIGSTOP)"
    assert raised.value.unfinished == [f"{stopped} with open calls (multiply of crossbar 0)"]
    assert told == [f"{stopped}: the run waits until it is continued (SIGCONT)"]


def test_a_process_that_is_stopped_and_goes_on() -> None:
    told = list[str]()
    with device("tiny", 1, timeout=SLOW_MACHINE, notice=told.append) as powered:
        crossbar, process = written(powered), next(iter(powered.processes.values()))
        os.kill(process, signal.SIGSTOP)
        timer = threading.Timer(1.3, os.kill, (process, signal.SIGCONT))
        timer.start()
        assert crossbar.gemv(VECTOR).result().tolist() == [3, 3]
        timer.join()
    assert told[0].startswith("core 0 of the device is stopped (SIGSTOP)")


def test_a_call_that_is_interrupted_ends_the_device(chip: Device) -> None:
    crossbar = written(chip)
    os.kill(chip.processes["core 0 of the device"], signal.SIGSTOP)
    timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    with pytest.raises(KeyboardInterrupt):
        future = crossbar.gemv(VECTOR)
        timer.start()
        future.result()
    timer.join()
    with pytest.raises(DeviceError, match="core 0 of the device was interrupted in the middle of a call"):
        future.result()

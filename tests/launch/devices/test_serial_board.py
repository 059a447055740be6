"""The example of a board at a serial line: it keeps the contract with a tolerance, and its faults are told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from emu.errors import EmuError
from launch import device
from launch.devices.device import Device
from launch.devices.failures import BoardRaised
from launch.supervision.errors import CoreDied, RunTimeout
from launch.system.process_state import alive, descendants
from launch.testing import device_contract

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples/device"
BOARD = "board:SerialBoard"
PATIENCE = 10.0  # seconds on a machine that is busy


@pytest.fixture(autouse=True)
def _boards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(FOLDER))


def product(powered: Device, factor: float = 1.0) -> np.ndarray:
    crossbar = powered.acquire(4, 3)
    crossbar.write(np.full((4, 3), factor, np.float32))
    return crossbar.gemv(np.ones(4, np.float32)).result()


def boards(powered: Device) -> list[int]:
    """The processes at the other ends of the lines."""
    return [board for worker in powered.processes.values() for board in descendants(worker)]


def gone(processes: list[int]) -> bool:
    end = time.monotonic() + PATIENCE
    while (left := any(map(alive, processes))) and time.monotonic() < end:
        time.sleep(0.01)
    return not left


def test_it_keeps_the_contract_with_its_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_BOARD", "--stuck 0.004")
    report = device_contract(BOARD, tolerance=0.04, stuck=0.02, crossbars=4)
    assert report.passed and len(report.sweeps) == 4
    assert all(0 < sweep.worst <= 0.04 for sweep in report.sweeps)
    assert any(sweep.stuck.any() for sweep in report.sweeps)


def test_it_is_not_exact() -> None:
    with pytest.raises(AssertionError, match="breaks the contract of devices"):
        device_contract(BOARD)


def test_cells_deviate_alike_in_every_session() -> None:
    found = []
    for _ in range(2):
        with device("tiny", 1, backend=BOARD, timeout=60) as powered:
            found.append(product(powered))
    assert found[0].tobytes() == found[1].tobytes() and 0 < np.abs(found[0] - 4).max() < 0.15


def test_more_than_a_line_holds_goes_through() -> None:
    with device("puma", 1, backend=BOARD, timeout=60) as powered:
        crossbar = powered.acquire(128, 100)
        crossbar.write(np.ones((128, 100), np.float32))
        made = crossbar.gemm(np.ones((500, 128), np.float32)).result()
    assert made.shape == (500, 100) and np.abs(made / 128 - 1).max() < 0.03


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--silent-after 2", "TimeoutError: the board has not answered within 1 s"),
        ("--late 3 --after 2", "TimeoutError: the board has not answered within 1 s"),
        ("--wrong-size", "ValueError: the board has sent 18 bytes of results in place of 12"),
        ("--garbage --after 2", "ValueError: the board has answered "),
        ("--die-after 2", "ConnectionError: the board has ended with status 1"),
    ],
)
def test_a_board_that_misbehaves(monkeypatch: pytest.MonkeyPatch, options: str, sentence: str) -> None:
    monkeypatch.setenv("FAKE_BOARD", options)
    monkeypatch.setenv("BOARD_DEADLINE", "1")
    with pytest.raises(BoardRaised) as raised, device("tiny", 1, backend=BOARD, timeout=60) as powered:
        processes = boards(powered)
        product(powered)
    assert str(raised.value).startswith(f"core 0 of the device cannot multiply crossbar 0: {sentence}")
    assert raised.value.exit_code == 3 and "\n" not in str(raised.value)
    assert len(processes) == 1 and gone(processes)


def test_a_device_that_is_less_patient_than_its_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_BOARD", "--silent-after 2")
    monkeypatch.setenv("BOARD_DEADLINE", "60")
    with pytest.raises(RunTimeout, match=r"core 0 of the device computes with open calls \(multiply of crossbar 0\)"):  # noqa: SIM117
        with device("tiny", 1, backend=BOARD, timeout=2) as powered:
            processes = boards(powered)
            product(powered)
    assert gone(processes)


@pytest.mark.parametrize("options", ["", "--late 60 --after 2", "--silent-after 2"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_board_does_not_outlive_its_worker(
    monkeypatch: pytest.MonkeyPatch, options: str, number: signal.Signals
) -> None:
    monkeypatch.setenv("FAKE_BOARD", options)
    with pytest.raises(EmuError) as raised, device("tiny", 1, backend=BOARD, timeout=60) as powered:
        processes = boards(powered)
        crossbar = powered.acquire(2, 2)
        crossbar.write(np.ones((2, 2), np.float32))
        future = crossbar.gemv(np.ones(2, np.float32))
        os.kill(next(iter(powered.processes.values())), number)
        future.result()
        product(powered)
    assert isinstance(raised.value, CoreDied) and raised.value.status == -number
    assert len(processes) == 1 and gone(processes)


def test_neither_outlives_a_program_that_is_killed() -> None:
    code = (
        "import time; from launch import device\n"
        f"with device('tiny', 2, backend={BOARD!r}) as powered:\n"
        "    print(*powered.processes.values(), flush=True); time.sleep(600)"
    )
    path = os.pathsep.join((str(ROOT), str(FOLDER)))
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    ) as program:
        assert program.stdout
        workers = [int(word) for word in program.stdout.readline().split()]
        processes = [*workers, *(board for worker in workers for board in descendants(worker))]
        assert len(processes) == 4
        program.kill()
    assert gone(processes)


def test_the_board_answers_what_its_page_says() -> None:
    """Without a line: the protocol, and what it refuses."""
    requests = b"ACQUIRE 0 0 2 2 i1 i1 i4\nWRITE 0 0 1 2 00000000\n\x01\x02RELEASE 7\nNONSENSE\nRELEASE 0\n"
    done = subprocess.run(
        [sys.executable, str(FOLDER / "fake_board.py")], input=requests, stdout=subprocess.PIPE, check=True, timeout=60
    )
    assert done.stdout.splitlines() == [
        b"OK 0 00000000",
        b"ERROR ValueError: the data do not fit their checksum",
        b"ERROR KeyError: '7'",
        b"ERROR KeyError: 'NONSENSE'",
        b"OK 0 00000000",
    ]


def test_it_knows_nothing_of_the_project() -> None:
    lines = (FOLDER / "fake_board.py").read_text().splitlines()
    imported = [line.split()[1].partition(".")[0] for line in lines if line.startswith(("import ", "from "))]
    assert set(imported) <= {*sys.stdlib_module_names, "numpy"}

"""Any session: equal results on all back ends, and the program that it records computes the same bits."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from device_sessions import Player, Session, sessions
from hypothesis import given, settings

from emu.check.check import check
from emu.image.npz import read_npz
from emu.image.reader import open_image
from launch import device
from launch.chips.sequential import power_on_sequential
from launch.devices.device import Device

CORES = 2
FEW, MANY = 60, 1000


@pytest.fixture(scope="module")
def warm() -> Iterator[Device]:
    """Core processes that all sessions share: each gives back what it has acquired."""
    with device("tiny", CORES, timeout=60, record=False) as powered:
        yield powered


def play(powered: Device, session: Session) -> tuple[Player, list[np.ndarray]]:
    player = Player(powered)
    return player, player.play(session)


def same_on_all(session: Session, warm: Device) -> None:
    """Results of processes are those of this process to the bit, and those of NumPy but for the rounding of floats."""
    with device("tiny", CORES, backend="sequential") as powered:
        player, results = play(powered, session)
        same_when_recorded(powered)
    with device("tiny", CORES, backend="numpy", record=False) as oracle:
        other, exact = play(oracle, session)
    third, served = play(warm, session)
    assert player.told == other.told
    assert player.told.keys() == third.told.keys()  # sentences number crossbars since power-on
    assert len(results) == len(exact) == len(served)
    for product, mine, wanted, theirs in zip(player.products, results, exact, served, strict=True):
        assert (mine.dtype, mine.shape, mine.tobytes()) == (theirs.dtype, theirs.shape, theirs.tobytes())
        assert (mine.dtype, mine.shape) == (wanted.dtype, wanted.shape)
        if mine.dtype.kind == "f":
            assert (np.abs(mine.astype(np.float64) - wanted) <= product.bound).all()
        else:
            np.testing.assert_array_equal(mine, wanted)


def same_when_recorded(powered: Device) -> None:
    """The image of the session is proved right, and computes its golden values to the bit on both engines."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "session"
        powered.save(out)
        report = check(open_image(out))
        assert report.proved, [str(verdict) for verdict in report.verdicts]
        golden, inputs = read_npz(out / "golden.npz"), read_npz(out / "inputs.npz")
        for engine in ("step", "batch"):
            with power_on_sequential(out, engine=engine, timeout=60) as chip:
                outputs = chip.run({name: values[0] for name, values in inputs.items()})
            assert outputs.keys() == golden.keys()
            for name, values in golden.items():
                assert outputs[name].tobytes() == values.tobytes(), (engine, name)


@settings(max_examples=FEW)
@given(sessions)
def test_a_session_is_the_same_on_all_back_ends_and_recorded(warm: Device, session: Session) -> None:
    same_on_all(session, warm)


@pytest.mark.full
@settings(max_examples=MANY)
@given(sessions)
def test_a_thousand_sessions(warm: Device, session: Session) -> None:
    same_on_all(session, warm)

"""Any session: equal results on all back ends, and the program that it records computes the same bits."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from device_sessions import Player, Session, sessions
from hypothesis import given, settings

from emu.arch import Arch
from emu.arch.read import load_arch
from emu.check.check import check
from emu.image.npz import read_npz
from emu.image.reader import open_image
from launch import device
from launch.chips.sequential import power_on_sequential
from launch.devices.device import Device

CORES = 3
FEW, MANY = 30, 1000
TINY = load_arch("tiny")
# Local memory that takes some vectors at a time, and a matrix in parts; crossbars on which a weight takes several.
SHORT = replace(TINY, core=replace(TINY.core, local_memory=4096))
SLICED = replace(TINY, core=replace(TINY.core, crossbars=32), crossbar=replace(TINY.crossbar, cell_bits=2))


@pytest.fixture(scope="module")
def warm() -> Iterator[Device]:
    """Core processes that all sessions share: each gives back what it has acquired."""
    with device(SHORT, CORES, timeout=60, record=False) as powered:
        yield powered


def play(powered: Device, session: Session) -> tuple[Player, list[np.ndarray]]:
    player = Player(powered)
    return player, player.play(session)


def same_in_processes(session: Session, warm: Device) -> None:
    """Results of processes are those of this process to the bit."""
    player, results = same_in_this_one(session, SHORT)
    other, served = play(warm, session)
    assert player.told.keys() == other.told.keys()  # sentences number crossbars since power-on
    for mine, theirs in zip(results, served, strict=True):
        assert (mine.dtype, mine.shape, mine.tobytes()) == (theirs.dtype, theirs.shape, theirs.tobytes())


def same_in_this_one(session: Session, arch: Arch) -> tuple[Player, list[np.ndarray]]:
    """Results of emulated crossbars are those of NumPy, but for the rounding of floats, and those of the recording."""
    with device(arch, CORES, backend="sequential") as powered:
        player, results = play(powered, session)
        same_when_recorded(powered)
    with device(arch, CORES, backend="numpy", record=False) as oracle:
        other, exact = play(oracle, session)
    assert player.told == other.told
    for product, mine, wanted in zip(player.products, results, exact, strict=True):
        assert (mine.dtype, mine.shape) == (wanted.dtype, wanted.shape)
        if mine.dtype.kind == "f":
            assert (np.abs(mine.astype(np.float64) - wanted) <= product.bound).all()
        else:
            np.testing.assert_array_equal(mine, wanted)
    return player, results


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
    same_in_processes(session, warm)


@settings(max_examples=FEW // 3)
@given(sessions)
def test_so_it_is_where_a_weight_takes_several_crossbars(session: Session) -> None:
    same_in_this_one(session, SLICED)


@pytest.mark.full
@settings(max_examples=MANY)
@given(sessions)
def test_a_thousand_sessions(warm: Device, session: Session) -> None:
    same_in_processes(session, warm)

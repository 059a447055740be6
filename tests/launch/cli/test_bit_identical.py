"""One compiled network gives the same bytes in one process or many, over every transport, flow and engine."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import DIGITS, SAMPLES, Emu

from emu.image.npz import read_npz, write_npz
from launch.cli import cli
from launch.runs.report import RunReport

DEFAULT = [("ipc", "rendezvous", "batch"), ("ipc", "credits:1", "batch"), ("tcp", "credits:8", "step")]
PROCESSES = [
    pytest.param(*how, marks=[] if how in DEFAULT else pytest.mark.full)
    for how in product(("ipc", "tcp"), ("rendezvous", "credits:1", "credits:8"), ("batch", "step"))
]


@pytest.fixture(scope="module")
def chip(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The digits network on 55 cores of `tiny`, and three samples."""
    folder = tmp_path_factory.mktemp("identical")
    arguments = ["compile", str(DIGITS), "-o", str(folder / "out"), "--arch", "tiny", "--cores", "64"]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    write_npz(folder / "few.npz", {"in0": read_npz(SAMPLES)["in0"][:3]})
    return folder / "out", folder / "few.npz"


def outputs(emu: Emu, chip: tuple[Path, Path], saved: Path, *options: str) -> bytes:
    result = emu("launch", chip[0], "--input", chip[1], "--model", DIGITS, "--save", saved, *options)
    assert result.exit_code == 0, result.output
    return read_npz(saved)["out0"].tobytes()


@pytest.fixture(scope="module")
def reference(chip: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> bytes:
    def emu(*arguments: object):  # the module's own runner: the fixture `emu` is per test
        return CliRunner().invoke(cli, [str(argument) for argument in arguments])

    return outputs(emu, chip, tmp_path_factory.mktemp("reference") / "y.npz", "--sequential", "--engine", "batch")


@pytest.mark.parametrize("flow", ["rendezvous", "credits:1", "credits:8"])
def test_sequential(emu: Emu, chip: tuple[Path, Path], reference: bytes, tmp_path: Path, flow: str) -> None:
    assert outputs(emu, chip, tmp_path / "y.npz", "--sequential", "--flow", flow) == reference


def test_step_equals_batch(emu: Emu, chip: tuple[Path, Path], reference: bytes, tmp_path: Path) -> None:
    assert outputs(emu, chip, tmp_path / "y.npz", "--sequential", "--engine", "step") == reference


@pytest.mark.parametrize(("transport", "flow", "engine"), PROCESSES)
def test_processes(
    emu_validate: Callable[..., RunReport],
    chip: tuple[Path, Path],
    reference: bytes,
    transport: str,
    flow: str,
    engine: str,
) -> None:
    """Compiled and run from Python; the reference, of the command line, was compared with golden values."""
    options = {"transport": transport, "flow": flow, "engine": engine, "timeout": 100}
    report = emu_validate(DIGITS, "tiny", cores=64, input=chip[1], golden="none", **options)
    assert report.result.outputs["out0"].tobytes() == reference


def test_idle_cores(emu: Emu, chip: tuple[Path, Path], reference: bytes, tmp_path: Path) -> None:
    assert outputs(emu, chip, tmp_path / "y.npz", "--cores", "64", "--timeout", "100") == reference

"""The log of a whole run: events of the launcher among the lines of all cores, however the run ends."""

import re
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS

import compiler
from emu.chaos.spec import Chaos
from emu.errors import InputError
from launch import power_on
from launch.supervision.errors import CoreDied

INPUT = {"in0": np.zeros((1, 1, 8, 8), np.float32)}
LINE = re.compile(r"(\S+T\S+[+-]\d\d:\d\d) (launcher|core_\d{4}) +(.*)")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiler.compile(DIGITS, cores=4, out=tmp_path_factory.mktemp("images") / "digits").out


def merged(logs: Path) -> list[tuple[str, str, str]]:
    """Time, process and text of every line, which are in order."""
    lines = [LINE.fullmatch(line).groups() for line in (logs / "all.log").read_text().splitlines()]
    times = [datetime.fromisoformat(line[0]) for line in lines]
    assert times == sorted(times)
    return lines


def of(lines: list[tuple[str, str, str]], process: str) -> list[str]:
    return [text for _, name, text in lines if name == process]


def test_a_run_from_power_on_to_power_off(image: Path, tmp_path: Path) -> None:
    with power_on(image, log_dir=tmp_path, seed=5, timeout=60) as chip:
        cores = chip.cores
        assert len(list(chip.stream([INPUT] * 3))) == 3
    lines = merged(tmp_path)
    first, *events = of(lines, "launcher")
    assert first.startswith("power on: ") and f"{cores} core processes" in first and "seed 5" in first
    results = [f"result of sample {k}" for k in range(3)]
    assert events == ["all cores have started", *results, "power off"]
    for core in range(cores):
        texts = [line[13:] for line in (tmp_path / f"core_{core:04d}.log").read_text().splitlines()]
        assert texts and of(lines, f"core_{core:04d}") == texts
    assert lines[0][1:] == ("launcher", first) and lines[-1][1:] == ("launcher", "power off")


def test_a_killed_core(image: Path, tmp_path: Path) -> None:
    chaos = Chaos(("kill:1@5",))
    with pytest.raises(CoreDied) as died, power_on(image, log_dir=tmp_path, timeout=60, chaos=chaos) as chip:
        list(chip.stream([INPUT] * 50))
    lines = merged(tmp_path)
    assert of(lines, "launcher")[-2:] == [f"error: {died.value}", "power off"]
    assert of(lines, "core_0001")[0].startswith("start process ")


def test_what_else_ends_a_run(image: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), power_on(image, log_dir=tmp_path, timeout=60):
        raise KeyboardInterrupt
    assert of(merged(tmp_path), "launcher")[-2:] == ["ended by KeyboardInterrupt: ", "power off"]
    with pytest.raises(InputError), power_on(image, log_dir=tmp_path, timeout=60, engine="steam"):
        pass
    assert "KeyboardInterrupt" in (tmp_path / "all.log").read_text()  # no run, so the log of the last one stays


def test_lines_of_an_earlier_run_are_not_among_them(image: Path, tmp_path: Path) -> None:
    (tmp_path / "core_0000.log").write_text("    0.000001 of yesterday\n")
    (tmp_path / "memory_node.log").write_text("    0.000001 of yesterday\n")
    (tmp_path / "core_0999.log").write_text("    0.000001 of yesterday\n")
    with power_on(image, log_dir=tmp_path, timeout=60):
        pass
    assert "yesterday" not in (tmp_path / "all.log").read_text()
    assert "yesterday" in (tmp_path / "core_0999.log").read_text()


def test_a_merged_log_that_cannot_be_written_is_told(image: Path, tmp_path: Path) -> None:
    (tmp_path / "all.log").mkdir()
    with pytest.raises(InputError, match=r"all\.log is a directory"), power_on(image, log_dir=tmp_path, timeout=60):
        pass
    with pytest.raises(ValueError, match="mine"), power_on(image, log_dir=tmp_path, timeout=60):
        raise ValueError("mine")

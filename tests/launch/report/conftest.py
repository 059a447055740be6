"""A network of many cores on a chip with times and energies, its run, and its report."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from commands import DIGITS, Emu

from emu.arch.read import load_arch
from emu.arch.write import arch_to_toml
from launch.cli import cli
from launch.report.report import Values, report_values
from launch.report.sources.subject import read_subject


def emulate(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def done(*arguments: object) -> str:
    result = emulate(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def emu() -> Emu:
    """Run `emu` with the given arguments in this process."""
    return emulate


def chip_text(cores: int) -> str:
    """PUMA with small crossbars, so that a small network fills many cores."""
    text = arch_to_toml(load_arch("puma"))
    changes = {
        **{"cores": cores, "rows": 16, "cols": 16, "dac_count": 16, "cell_bits": 8},
        **{"crossbars": 4, "crossbars_per_mvmu": 4, "name": '"small"'},
    }
    for key, value in changes.items():
        text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
    return text


@pytest.fixture(scope="session")
def chip_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chip of 64 cores with times and energies."""
    path = tmp_path_factory.mktemp("chips") / "small.toml"
    path.write_text(chip_text(64))
    return path


@pytest.fixture(scope="session")
def image(chip_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example network on that chip: 55 cores hold a program."""
    out = tmp_path_factory.mktemp("report-images") / "digits"
    done("compile", DIGITS, "-o", out, "--arch", chip_file, "--cores", 64, "--samples", 2)
    return out


@pytest.fixture(scope="session")
def run_file(image: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of it that compares every layer."""
    path = tmp_path_factory.mktemp("report-runs") / "run.json"
    options = ("--sequential", "--keep", "all", "--model", DIGITS, "--trace", path.with_name("trace.json.gz"))
    path.write_text(done("launch", image, *options, "--json"))
    return path


@pytest.fixture(scope="session")
def trace_file(run_file: Path) -> Path:
    """The trace of that run."""
    return run_file.with_name("trace.json.gz")


@pytest.fixture(scope="session")
def values(image: Path, run_file: Path, trace_file: Path) -> Values:
    """The report of it, as JSON has it."""
    return json.loads(json.dumps(report_values(read_subject(image, run_file, model=DIGITS, trace=trace_file))))

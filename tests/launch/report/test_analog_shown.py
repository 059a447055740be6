"""Analog runs in the report: what is measured, by trial, tensor and layer; files that hold something else."""

import json
from pathlib import Path
from typing import Any

import pytest
from analog_chips import COARSE
from click.testing import CliRunner
from commands import DIGITS, SAMPLES, Emu
from hypothesis import given
from hypothesis import strategies as st

from emu.image.npz import read_npz, write_npz
from launch.cli import cli
from launch.report.report import report_values
from launch.report.sources.analog import analog_sentence, analog_values, histogram_text
from launch.report.sources.given_run import GivenRun
from launch.report.sources.subject import read_subject
from launch.report.sources.verdict import verdict_values


@pytest.fixture(scope="module")
def analog_run(image: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three trials of two samples, every layer kept."""
    folder = tmp_path_factory.mktemp("analog")
    (folder / "chip.toml").write_text(COARSE.replace("adc_bits = 6", ""))  # the chip has converters
    write_npz(folder / "few.npz", {name: array[:2] for name, array in read_npz(SAMPLES).items()})
    options = ("--analog", folder / "chip.toml", "--trials", 3, "--input", folder / "few.npz", "--labels", "labels")
    words = ("launch", image, "--sequential", *options, "--keep", "all", "--model", DIGITS, "--json")
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    path = folder / "run.json"
    path.write_text(result.stdout)
    return path


def test_the_report_has_what_the_run_measured(image: Path, analog_run: Path, emu: Emu) -> None:
    run = json.loads(analog_run.read_text())
    values = report_values(read_subject(image, analog_run, model=DIGITS))
    analog = values["analog"]
    assert (analog["trials"], analog["samples"]) == (3, 2)
    assert {name: analog["accuracy"][name] for name in ("right", "of")} == run["accuracy"]
    assert sum(row["trials"] for row in analog["by_trial"]) == 3
    assert [layer["node"] for layer in analog["layers"]] == [layer["node"] for layer in run["analog"]["layers"]]
    assert all(layer["codes"] for layer in analog["layers"])
    assert values["verdict"]["state"] == "measured"
    assert not any(tensor["passed"] is False for tensor in values["verdict"]["tensors"])
    text = emu("report", image, "--run", analog_run).stdout
    assert f"MEASURED: {run['accuracy']['right']} of 6 answers right" in text
    assert "signal to noise beside golden values" in text and "█" in text and "WRONG" not in text
    page = emu("report", image, "--run", analog_run, "--json").stdout
    assert json.loads(page)["analog"] == json.loads(json.dumps(analog))


def test_a_bound_that_is_violated_is_wrong(analog_run: Path) -> None:
    run = json.loads(analog_run.read_text()) | {"exit_code": 1, "reason": "accuracy is too small"}
    found = verdict_values(GivenRun(analog_run, run), Path("out"))
    assert (found["state"], found["sentence"]) == ("wrong", "accuracy is too small")


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ([0, 4, 8], "▁▅█"),
        ([1, 10_000], "▂█"),
        ([0, 0], None),
        ([], None),
        ("many", None),
        ([1, "x"], None),
        ([-1], None),
    ],
)
def test_histograms_are_bars(counts: object, text: str | None) -> None:
    assert histogram_text(counts) == text


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=200))
def test_no_count_is_hidden(counts: list[int]) -> None:
    text = histogram_text(counts)
    step = -(-len(counts) // 32)
    sums = [sum(counts[at : at + step]) for at in range(0, len(counts), step)]
    assert (text is None) == (not any(counts))
    assert text is None or [bar == "▁" for bar in text] == [each == 0 for each in sums]


NAMES = ("accuracy", "outputs", "layers", "by_trial", "samples", "right", "of", "low", "high", "node", "wear", "cells")
PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_a_file_may_hold_anything(value: Any) -> None:
    run = {"exit_code": 0, "run_seconds": 1.0, "analog": value}
    found = analog_values(GivenRun(Path("run.json"), run))
    assert found is None or json.dumps(found)
    assert isinstance(analog_sentence(run), str)

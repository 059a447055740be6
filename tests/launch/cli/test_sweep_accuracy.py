"""`emu sweep --metric accuracy`: what programs answer to data on the chip of each point."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from commands import CAN_DRAW, DIGITS, EXAMPLES, Emu
from commands import SAMPLES as DIGITS_DATA

from compiler import compile
from emu.arch.derived import derived
from emu.arch.overlay import overlaid
from emu.arch.read import load_arch
from emu.image.npz import read_npz, write_npz
from emu.image.reader import open_image
from launch.analog.interval import wilson
from launch.analog.trials import run_trials
from launch.chips.sequential import power_on_sequential
from launch.processes.options import RunOptions
from launch.samples.inputs import load_inputs

SAMPLES = 40
BITS = ("--vary", "crossbar.adc_bits=5,10")
CELLS = "[crossbar]\ncell_bits = 2\ndac_bits = 1\n"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of the digits, with their labels."""
    whole, file = read_npz(DIGITS_DATA), tmp_path_factory.mktemp("data") / "data.npz"
    np.savez(file, in0=whole["in0"][:SAMPLES], labels=whole["labels"][:SAMPLES])
    return file


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    """Tables of cells and converters."""
    file = tmp_path / "cells.toml"
    file.write_text(CELLS)
    return file


def swept(emu: Emu, *words: object) -> dict:
    result = emu("sweep", *words, "--jobs", 2, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def answers_on(out: Path, inputs: np.ndarray, **changes: object) -> np.ndarray:
    """Outputs of the programs on their chip with other keys, a sample at a time."""
    chip = derived(open_image(out).arch, {name.replace("__", "."): value for name, value in changes.items()})
    with power_on_sequential(out, RunOptions(sequential=True, analog=json.dumps(chip.to_dict()))) as powered:
        return np.stack([next(iter(powered.run({"in0": each[None]}).values())).reshape(-1) for each in inputs])


def test_points_have_the_accuracy_of_their_programs_on_their_chip(
    emu: Emu, digits_image: Path, data: Path, cells: Path
) -> None:
    words = (digits_image, "--arch", "puma", "--analog", cells, *BITS, "--input", data, "--labels", "labels")
    found = swept(emu, *words, "--metric", "accuracy,energy,latency")
    arrays = read_npz(data)
    ideal = answers_on(digits_image, arrays["in0"])
    assert found["metrics"] == ["accuracy", "energy_pj", "latency_ps"]
    for point in found["points"]:
        physics = {"crossbar__cell_bits": 2, "crossbar__dac_bits": 1, "crossbar__kind": "analog"}
        made = answers_on(
            digits_image, arrays["in0"], **physics, crossbar__adc_bits=point["values"]["crossbar.adc_bits"]
        )
        for name, right in (("accuracy", arrays["labels"]), ("agreement", ideal.argmax(axis=1))):
            alike = made.argmax(axis=1) == right
            assert point[name] == np.mean(alike)
            assert (point[f"{name}_low"], point[f"{name}_high"]) == wilson(int(alike.sum()), len(alike))
        off = np.sum((made.astype(float) - ideal) ** 2)
        assert point["snr_db"] == pytest.approx(10 * np.log10(np.sum(ideal.astype(float) ** 2) / off), rel=1e-9)
        assert point["energy_pj"] > 0 and point["latency_ps"] > 0
    five, ten = found["points"]
    assert five["accuracy"] < ten["accuracy"] and five["snr_db"] < ten["snr_db"]


def test_shares_have_their_interval_wherever_they_are_told(emu: Emu, data: Path, tmp_path: Path) -> None:
    """Of all trials: in the table, in CSV, and in the picture."""
    table, plot = tmp_path / "points.csv", tmp_path / "points.svg"
    words = ("sweep", DIGITS, "--arch", "puma", "--vary", "crossbar.adc_bits=4,9", "--metric", "accuracy,agreement")
    words = (*words, "--input", data, "--labels", "labels", "--trials", 2, "--csv", table)
    result = emu(*words, *(("--plot", plot) if CAN_DRAW else ()))
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(table.read_text().splitlines()))
    for row in rows:
        for name in ("accuracy", "agreement"):
            share, low, high = (float(row[key]) for key in (name, f"{name}_low", f"{name}_high"))
            assert (low, high) == wilson(round(share * 2 * SAMPLES), 2 * SAMPLES)
            assert f"{100 * share:.2f}% ({100 * low:.2f}% to {100 * high:.2f}%)" in result.stdout
    if CAN_DRAW:
        marks = re.findall(r'aria-roledescription="rule mark"', plot.read_text())
        assert len(marks) == 2 * len(rows)


def test_where_nothing_is_rounded_answers_are_the_ideal_ones(emu: Emu, data: Path) -> None:
    words = (EXAMPLES / "digits_cnn_int8.onnx", "--arch", "occ", "--vary", "chip.cores=16,32")
    found = swept(emu, *words, "--input", data, "--metric", "agreement,snr,latency", "--trials", 2)
    assert [(point["agreement"], point["snr_db"]) for point in found["points"]] == [(1.0, 200.0)] * 2
    assert not any(key.startswith("accuracy") for point in found["points"] for key in point)  # without labels


def test_the_energy_of_products_is_that_of_the_data(emu: Emu, data: Path, tmp_path: Path) -> None:
    dark = tmp_path / "dark.npz"
    arrays = read_npz(data)
    write_npz(dark, arrays | {"in0": arrays["in0"] * (np.arange(SAMPLES) % 2)[:, None, None, None].astype("f4")})
    words = (DIGITS, "--arch", "isaac", "--vary", "device.read_v=0.2,0.4", "--metric", "products,accuracy")
    bright, half = (swept(emu, *words, "--labels", "labels", "--input", file)["points"] for file in (data, dark))
    assert half[0]["products_pj"] < bright[0]["products_pj"] < bright[1]["products_pj"] < 4 * bright[0]["products_pj"]
    assert bright[0]["accuracy"] == bright[1]["accuracy"] and bright[0]["energy_pj"] == half[0]["energy_pj"]


def test_without_metrics_the_answers_come_first(emu: Emu, data: Path) -> None:
    words = (DIGITS, "--arch", "puma", "--vary", "crossbar.adc_bits=9", "--input", data)
    right, like = swept(emu, *words, "--labels", "labels"), swept(emu, *words)
    assert right["metrics"] == ["accuracy", "latency_ps", "energy_pj", "area_mm2"]
    assert like["metrics"] == ["agreement", *right["metrics"][1:]]


def test_answers_on_file_are_those_of_the_same_data(
    emu: Emu, digits_image: Path, data: Path, cells: Path, tmp_path: Path
) -> None:
    file = tmp_path / "answers.jsonl"
    words = (digits_image, "--arch", "puma", "--analog", cells, *BITS, "--resume", file)
    asked = ("--input", data, "--labels", "labels")
    first = swept(emu, *words, *asked)
    kept = file.read_bytes()
    assert swept(emu, *words, *asked) == first and file.read_bytes() == kept
    for others in (("--trials", 2), ("--analog-seed", 7)):
        lines = file.read_bytes().count(b"\n")
        swept(emu, *words, *asked, *others)
        assert file.read_bytes().count(b"\n") == lines + 2
    swept(emu, *words)  # without data
    arrays, other = read_npz(data), tmp_path / "other.npz"
    np.savez(other, in0=arrays["in0"], labels=arrays["labels"][::-1])
    assert swept(emu, *words, "--input", other, "--labels", "labels") != first
    assert swept(emu, *words, *asked) == first


def test_chips_that_know_no_ranges_get_those_of_the_data(emu: Emu, data: Path, tmp_path: Path) -> None:
    """Each point as if `emu calibrate` had been asked for its chip."""
    out, chip, ranges = tmp_path / "out", tmp_path / "chip.toml", tmp_path / "ranges.toml"
    chip.write_text('[chip]\nbase = "puma"\n[crossbar]\nadc_bits = 4\n')
    compile(DIGITS, load_arch(str(chip)), out=out)
    words = (out, "--vary", "crossbar.adc_bits=4,6", "--vary", "mapping.adc_range=full,calibrated")
    words = (*words, "--input", data, "--metric", "snr,energy", "--resume", tmp_path / "answers.jsonl")
    snr = {
        (method, point["values"]["crossbar.adc_bits"], point["values"]["mapping.adc_range"]): point["snr_db"]
        for method in ("min-max", "mse", "percentile", "percentile --percentile 95")
        for point in swept(emu, *words, "--method", *method.split())["points"]
    }
    of_percentile = {snr[method, 4, "calibrated"] for method in ("percentile", "percentile --percentile 95")}
    assert len(of_percentile) == 2 and not of_percentile & {snr["min-max", 4, "calibrated"]}
    for bits in (4, 6):
        assert snr["min-max", bits, "calibrated"] > snr["min-max", bits, "full"] == snr["mse", bits, "full"]
    assert snr["mse", 4, "calibrated"] != snr["min-max", 4, "calibrated"]
    assert emu("calibrate", out, "--input", data, "--method", "mse", "-o", ranges).exit_code == 0
    own = open_image(out).arch
    inputs = load_inputs(data, open_image(out).manifest.inputs)
    chips = (own, overlaid(own, ranges.read_text(), str(ranges)))
    ideal, made = (next(iter(run_trials(out, each, inputs).outputs.values())) for each in chips)
    off = np.sum((made.astype(float) - ideal) ** 2)
    assert snr["mse", 4, "calibrated"] == pytest.approx(10 * np.log10(np.sum(ideal.astype(float) ** 2) / off), rel=1e-9)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "--metric accuracy,energy",
            "--metric accuracy is of what a network answers to data: give them by --input and --labels",
        ),
        ("--metric snr,energy", "--metric snr is of what a network answers to data: give them by --input"),
        ("--metric accuracy,energy --input DATA", "give them by --labels"),
        ("--metric latency,energy --input DATA", "--input is of a network's answers to data: give --metric with"),
        ("--trials 3", "--trials is of a network's answers to data: give --input FILE.npz and --metric with"),
        ("--method mse", "--method is of a network's answers to data: give --input FILE.npz"),
        ("--percentile 99", "--percentile is of a network's answers to data: give --input FILE.npz"),
        (
            "--input DATA --metric snr,energy --percentile 99",
            "--percentile 99 is of another method than min-max: give --method percentile, too",
        ),
        ("--analog-seed 3", "--analog-seed is of a network's answers to data: give --input FILE.npz"),
        ("--metric snr,energy --input DATA --vary mapping.slicing=sideways", "mapping.slicing"),
        ("--input DATA --labels lables", "no array 'lables' for --labels: it holds 'in0', 'labels'"),
        ("--input nowhere.npz", "nowhere.npz"),
    ],
)
def test_bad_words_of_data_are_refused(words: str, sentence: str, emu: Emu, digits_image: Path, data: Path) -> None:
    result = emu("sweep", digits_image, "--arch", "puma", *BITS, *words.replace("DATA", str(data)).split())
    assert result.exit_code == 2 and "Traceback" not in result.output
    assert sentence in result.stderr

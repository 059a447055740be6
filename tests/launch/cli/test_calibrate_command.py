"""`emu calibrate`: what it measures, the file that it writes, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import EXAMPLES, Emu
from commands import SAMPLES as DIGITS_DATA

from compiler import compile
from emu.arch.overlay import analog_of, overlaid
from emu.image.npz import read_npz, write_npz
from emu.image.reader import Image, open_image
from launch.analog.trials import run_trials
from launch.samples.inputs import load_inputs

PAGE = (Path(__file__).parents[3] / "docs" / "json.md").read_text("utf-8")
SAMPLES = 30


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The digits in integers, on a chip of 2-bit cells, bit-serial inputs and converters of 8 bits."""
    out = tmp_path_factory.mktemp("calibrate") / "out"
    compile(EXAMPLES / "digits_cnn_int8.onnx", "puma", out=out)
    return out


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of the digits."""
    file = tmp_path_factory.mktemp("data") / "data.npz"
    write_npz(file, {name: array[:SAMPLES] for name, array in read_npz(DIGITS_DATA).items()})
    return file


def calibrated(emu: Emu, *words: object) -> dict:
    result = emu("calibrate", *words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def outputs_on(image: Image, arch: object, data: Path) -> np.ndarray:
    found = run_trials(image.path, arch, load_inputs(data, image.manifest.inputs)).outputs  # type: ignore[arg-type]
    return next(iter(found.values()))


def test_with_the_bits_that_the_data_needs_nothing_is_lost(emu: Emu, image: Path, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "ranges.toml"
    found = calibrated(emu, image, "--input", data, "-o", file)
    assert max(layer["data_bits"] for layer in found["layers"]) == found["adc_bits"] == 8
    assert max(layer["lossless_bits"] for layer in found["layers"]) == 10
    opened = open_image(image)
    ideal = outputs_on(opened, opened.arch, data)
    full = outputs_on(opened, analog_of(opened.arch), data)
    own = outputs_on(opened, overlaid(opened.arch, file.read_text(), str(file)), data)
    assert np.array_equal(own, ideal) and not np.array_equal(full, ideal)


def test_methods_and_the_table_of_layers(emu: Emu, image: Path, data: Path, tmp_path: Path) -> None:
    words = (image, "--input", data)
    whole = calibrated(emu, *words)
    chip = tmp_path / "wires.toml"
    chip.write_text("[wires]\ncol_ohm = 1.0\n")  # currents may be anything
    ways = ("min-max", "percentile", "mse")
    found = {name: calibrated(emu, *words, "--analog", chip, "--method", name) for name in ways}

    for each in found.values():
        slices = [part for group in each["groups"] for part in group["slices"]]
        assert all(part["unit"] is part["data_bits"] is part["lossless_bits"] is None for part in slices)
        assert all(part["lowest"] <= part["low"] < part["high"] <= part["highest"] for part in slices)
    slices_of = [[part for group in each["groups"] for part in group["slices"]] for each in found.values()]
    narrow = [sum(part["high"] - part["low"] for part in slices) for slices in slices_of]
    assert narrow[1] < narrow[0] and narrow[2] < narrow[0] and found["percentile"]["percentile"] == 99.9
    assert [group["layer"] for group in whole["groups"]] == [group["layer"] for group in found["mse"]["groups"]]
    assert all(group["input_max"] is None for group in whole["groups"])  # integers have their own
    text = emu("calibrate", *words).stdout
    for layer in whole["layers"]:
        row = next(line for line in text.splitlines() if line.split()[:1] == [layer["layer"]])
        assert row.split()[1] == str(layer["groups"]) and str(layer["lossless_bits"]) in row.split()
    assert whole["file"] is None and "written" not in text


def test_converters_are_taken_to_be_ideal(emu: Emu, image: Path, data: Path, tmp_path: Path) -> None:
    """What converters add by chance and errors of cells, are no part of what ranges have to span."""
    chip = tmp_path / "noisy.toml"
    chip.write_text(
        '[mapping]\nadc_noise = 0.5\nadc_codes = "all"\n[device]\nprogramming = "gaussian"\nprogramming_sigma = 0.05\n'
    )
    plain, noisy = (calibrated(emu, image, "--input", data, *words)["groups"] for words in ((), ("--analog", chip)))
    found = [
        [(part["lowest"], part["highest"]) for each in groups for part in each["slices"]] for groups in (plain, noisy)
    ]
    assert found[0] == found[1]


def test_ranges_of_inputs_of_floats(emu: Emu, data: Path, tmp_path: Path) -> None:
    """The largest magnitude is that of the data; where it is asked for, currents are those of such a range."""
    compile(EXAMPLES / "digits_cnn.onnx", "puma", out=tmp_path / "out")
    chip, file = tmp_path / "chip.toml", tmp_path / "ranges.toml"
    chip.write_text('[mapping]\ninput_range = "calibrated"\n')
    vector = calibrated(emu, tmp_path / "out", "--input", data)
    shared = calibrated(emu, tmp_path / "out", "--input", data, "--analog", chip, "-o", file)
    pixels = read_npz(data)["in0"]
    assert vector["groups"][0]["input_max"] == shared["groups"][0]["input_max"] == pixels.max()
    highest = [[group["slices"][0]["highest"] for group in each["groups"]] for each in (vector, shared)]
    assert highest[0] != highest[1]
    opened = open_image(tmp_path / "out")
    arch = overlaid(overlaid(opened.arch, chip.read_text(), "chip"), file.read_text(), "ranges")
    wanted = outputs_on(opened, opened.arch, data)
    off = outputs_on(opened, arch, data) - wanted
    assert 0 < np.linalg.norm(off) < 0.1 * np.linalg.norm(wanted)


def test_ranges_of_another_network_and_of_another_layer_are_refused(
    emu: Emu, image: Path, data: Path, tmp_path: Path
) -> None:
    file, other = tmp_path / "ranges.toml", tmp_path / "other"
    calibrated(emu, image, "--input", data, "-o", file)
    compile(EXAMPLES / "digits_cnn.onnx", "puma", out=other)
    words = ("--input", data, "--golden", "none", "--sequential", "--analog")
    assert emu("launch", image, *words, file).exit_code == 0
    result = emu("launch", other, *words, file)
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert "ranges.network: these ranges are of another network or mapping: run `emu calibrate`" in result.stderr
    file.write_text(file.read_text().replace("node_linear_mm_quant", "node_linear_2_mm_quant", 1))
    result = emu("launch", image, *words, file)
    assert result.exit_code == 2 and "is a range of layer 'node_linear_2_mm_quant', but holds" in result.stderr
    own = tmp_path / "own.toml"
    own.write_text('[mapping]\nadc_range = "calibrated"\n')
    result = emu("launch", image, *words, own)
    assert (
        result.exit_code == 2
        and "there is no table [ranges]: give the file that `emu calibrate` writes" in result.stderr
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("IMAGE", "has no inputs of its own to measure: give data by --input FILE.npz"),
        (
            "IMAGE --input DATA --percentile 99",
            "--percentile 99 is of another method than min-max: give --method",
        ),
        ("IMAGE --input DATA --method median", "--method"),
        ("DEFAULT --input DATA --method mse", "--method mse is about the bits of converters, of which"),
        ("IMAGE --input OTHER", "has no array 'in0'"),
        ("IMAGE --input DATA --analog CELLS", "crossbar.cell_bits is 4, but the programs are for a chip with 2"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(
    words: str, sentence: str, emu: Emu, image: Path, digits_image: Path, data: Path, tmp_path: Path
) -> None:
    write_npz(tmp_path / "other.npz", {"x": np.zeros(3)})
    (tmp_path / "cells.toml").write_text("[crossbar]\ncell_bits = 4\n")
    names = {"IMAGE": image, "DEFAULT": digits_image, "DATA": data, "OTHER": tmp_path / "other.npz"}
    for name, path in (names | {"CELLS": tmp_path / "cells.toml"}).items():
        words = words.replace(name, str(path))
    result = emu("calibrate", *words.split())
    assert result.exit_code == 2 and "Traceback" not in result.output
    assert sentence in result.stderr


def test_fields_of_ranges_in_json_are_those_of_the_page(emu: Emu, image: Path, data: Path) -> None:
    text = PAGE.partition("## emu calibrate\n")[2].partition("\n## ")[0]
    found = calibrated(emu, image, "--input", data)
    for name in {*found, *found["layers"][0], *found["groups"][0], *found["groups"][0]["slices"][0]} - {"schema"}:
        assert f"`{name}`" in text, name

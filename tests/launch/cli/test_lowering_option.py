"""`emu compile --lowering pixel`: whole networks equal their golden, and everything else knows what was asked."""

import json
from pathlib import Path

import pytest
from commands import DIGITS, Emu

from emu.image.reader import open_image
from launch.bisect.reference import compile_again, options_of


@pytest.fixture
def pixel_image(emu: Emu, tmp_path: Path) -> Path:
    result = emu("compile", DIGITS, "-o", tmp_path / "pixel", "--cores", 16, "--lowering", "pixel")
    assert result.exit_code == 0, result.output
    return tmp_path / "pixel"


def test_the_example_equals_its_golden_and_says_how_it_was_made(
    emu: Emu, pixel_image: Path, digits_image: Path
) -> None:
    assert "PASS" in emu("launch", pixel_image, "--sequential").stdout
    info = json.loads(emu("info", pixel_image, "--json").stdout)
    assert info["options"]["lowering"] == "pixel"
    assert "lowering" not in json.loads(emu("info", digits_image, "--json").stdout)["options"]
    info = json.loads(emu("info", digits_image, "--against", pixel_image, "--json").stdout)
    channel, pixel = info["total"], info["other"]["total"]
    assert (channel["macs"], channel["crossbars"]) == (pixel["macs"], pixel["crossbars"])
    assert pixel["instructions"] > 5 * channel["instructions"]
    assert pixel["messages"] > channel["messages"]


def test_a_recompilation_is_the_same(pixel_image: Path) -> None:
    image = open_image(pixel_image)
    options = options_of(image.manifest)
    assert options is not None and options["lowering"] == "pixel"
    again = compile_again(DIGITS, **options)
    assert [again[core].program.main == image.program(core).main for core in image.cores] == [True] * len(again)


def test_the_text_of_a_stage_goes_on_to_the_same_image(emu: Emu, tmp_path: Path) -> None:
    options = ["--cores", 4, "--lowering", "pixel", "--golden", "none"]
    assert emu("compile", DIGITS, "-o", tmp_path / "a", *options, "--dump", tmp_path / "ir").exit_code == 0
    (text,) = tmp_path.glob("ir/*-place.mlir")
    assert len([*tmp_path.glob("ir/*-unroll-pixels.mlir")]) == 1
    result = emu("compile", "--from", text, "-o", tmp_path / "b", *options)
    assert result.exit_code == 0, result.output
    for path in sorted((tmp_path / "a").glob("*.prog")):
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


@pytest.mark.full
def test_lenet(emu: Emu, tmp_path: Path) -> None:
    emu("export", "lenet5", "-o", tmp_path / "lenet.onnx")
    result = emu("compile", tmp_path / "lenet.onnx", "-o", tmp_path / "o", "--lowering", "pixel", "--samples", 3)
    assert result.exit_code == 0, result.output
    assert "PASS" in emu("launch", tmp_path / "o").stdout

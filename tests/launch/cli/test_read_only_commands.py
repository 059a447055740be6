"""Commands and read-only tensors: info, check, launch, import and export."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import Emu

TEXT = """\
arch tiny
input "x" f32[1, 4] at 0x00
output "y" f32[1, 4] at 0x30
readonly "weights" f32[2, 4] at 0x10 from "weights.npy"

core 0 {
  main {
    ld l[0x00], g[0x00], 48            ; x and both rows of the weights
    vvadd.f32 l[0x00], l[0x00], l[0x20], 4
    st g[0x30], l[0x00], 16
    halt
  }
}
"""
SENTENCE = (
    "main[2] st (sample 0): overwrites read-only tensor 'weights', which ends at 0x0030, address 0x002c, limit 0x0030"
)
WAYS = [(), ("--sequential",), ("--engine", "step"), ("--transport", "tcp", "--flow", "credits:2")]
RUN = ("--input", "x=1,2,3,4", "--golden", "none")


def assembled(emu: Emu, directory: Path, text: str) -> Path:
    (directory / "chip.asm").write_text(text)
    np.save(directory / "weights.npy", np.arange(8, dtype=np.float32).reshape(2, 4))
    result = emu("import", directory, "-o", directory / "out")
    assert (result.exit_code, result.stderr) == (0, "")
    return directory / "out"


@pytest.fixture
def out(emu: Emu, tmp_path: Path) -> Path:
    return assembled(emu, tmp_path, TEXT)


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_launch(emu: Emu, out: Path, way: tuple[str, ...]) -> None:
    result = emu("launch", out, *RUN, "--print", *way)
    assert result.exit_code == 0 and "y: [[5, 7, 9, 11]]" in result.stdout


def test_info_counts_them_once(emu: Emu, out: Path) -> None:
    lines = emu("info", out).stdout.splitlines()
    assert "read-only weights f32 [2, 4]" in lines
    assert "; 32 B read-only global memory; per sample 32 B global memory, 0 messages" in lines[-1]
    summary = json.loads(emu("info", out, "--json").stdout)
    tensor = {"name": "weights", "dtype": "f32", "shape": [2, 4], "bytes": 32, "file": "weights.npy"}
    assert (summary["read_only"], summary["global_bytes"]) == ([tensor], 32)


def test_info_is_silent_without_any(emu: Emu, digits_image: Path) -> None:
    assert "read-only" not in emu("info", digits_image).stdout
    assert json.loads(emu("info", digits_image, "--json").stdout)["read_only"] == []


def test_a_store_is_refuted_and_traps_in_the_same_words(emu: Emu, tmp_path: Path) -> None:
    out = assembled(emu, tmp_path, TEXT.replace("st g[0x30]", "st g[0x2c]"))
    check = emu("check", out)
    assert check.exit_code == 1 and f"core 0 at {SENTENCE}\n" in check.stdout
    refused = emu("launch", out, *RUN)
    assert refused.exit_code == 2 and f"core 0 at {SENTENCE} (" in refused.stderr
    for way in WAYS:
        trapped = emu("launch", out, *RUN, "--no-check", *way)
        assert (trapped.exit_code, trapped.stderr) == (3, f"error: core 0 trapped at {SENTENCE}\n")


def test_text_and_files_give_the_image_back(emu: Emu, out: Path, tmp_path: Path) -> None:
    text = emu("export", "--to", "asm", out).stdout
    assert 'readonly "weights" f32[2, 4] at 0x0010 from "weights.npy"\n' in text
    assert emu("export", "--to", "asm", out, "-o", tmp_path / "text").exit_code == 0
    assert (tmp_path / "text" / "chip.asm").read_text() == text
    assert emu("import", tmp_path / "text", "-o", tmp_path / "again").exit_code == 0
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == files


def test_files_that_other_files_are_written_as_are_refused(emu: Emu, out: Path, tmp_path: Path) -> None:
    (tmp_path / "chip.asm").write_text(TEXT.replace('"weights.npy"', '"core_0000.prog"'))
    (tmp_path / "weights.npy").rename(tmp_path / "core_0000.prog")
    result = emu("import", tmp_path / "chip.asm", "-o", tmp_path / "again")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "'core_0000.prog' cannot be added to the image (again)" in result.stderr


def test_a_new_file_needs_a_seal(emu: Emu, out: Path) -> None:
    np.save(out / "weights.npy", np.ones((2, 4), np.float32))
    refused = emu("launch", out, *RUN)
    assert refused.exit_code == 2 and "weights.npy has changed since the image was written" in refused.stderr
    assert emu("import", "--seal", out).exit_code == 0
    assert "y: [[2, 3, 4, 5]]" in emu("launch", out, *RUN, "--print").stdout


@pytest.mark.parametrize("command", [["import", "--seal"], ["launch"], ["info"], ["check"], ["export", "--to", "asm"]])
def test_places_that_cannot_be_are_one_sentence(emu: Emu, out: Path, command: list[str]) -> None:
    path = out / "manifest.json"
    record = json.loads(path.read_text())
    record["read_only"][0]["address"] = 8
    path.write_text(json.dumps(record))
    result = emu(*command, out)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert (
        "read-only tensor 'weights', [8, 40) of global memory, overlaps tensor 'x', which ends at 16" in result.stderr
    )

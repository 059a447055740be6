"""`emu compile`: what it writes and prints, stages as text, refusals."""

import json
from pathlib import Path

import numpy as np
from commands import DIGITS, Emu

from emu.image.npz import read_npz
from emu.image.reader import open_image


def test_image_has_inputs_and_golden(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "digits"
    result = emu("compile", DIGITS, "-o", out, "--arch", "tiny", "--cores", 64, "--seed", 3, "--samples", 2)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"digits_cnn.onnx -> {out}: 55 cores, 55 crossbars (25.0% of those cores'), ")
    assert "golden onnxruntime " in result.stdout
    assert "check proved, " in result.stdout
    image = open_image(out)
    assert read_npz(out / image.manifest.default_input)["in0"].shape == (2, 1, 1, 8, 8)
    assert read_npz(out / image.manifest.golden)["out0"].shape == (2, 1, 10)
    assert image.manifest.golden_source.startswith("onnxruntime ")


def test_seed_and_source_of_golden(emu: Emu, tmp_path: Path) -> None:
    for name, options in {"a": ["--golden", "numpy"], "b": ["--seed", 1, "--golden", "none"]}.items():
        assert emu("compile", DIGITS, "-o", tmp_path / name, "--cores", 8, *options).exit_code == 0
    first, second = open_image(tmp_path / "a"), open_image(tmp_path / "b")
    assert first.manifest.golden_source.startswith("onnx.reference ")
    assert (second.manifest.golden, second.golden()) == ("", None)
    assert not np.array_equal(first.default_inputs()["in0"], second.default_inputs()["in0"])


def test_json(emu: Emu, tmp_path: Path) -> None:
    result = emu("compile", DIGITS, "-o", tmp_path / "x", "--json", "--golden", "none", "--placement", "pack")
    report = json.loads(result.stdout)
    assert report["golden"] is None
    assert report["cores"] == len(open_image(tmp_path / "x").cores)
    assert "codegen" in report["steps"]
    assert report["check"]["proved"]


def test_stages_as_text_go_on_where_they_stopped(emu: Emu, tmp_path: Path) -> None:
    assert emu("compile", DIGITS, "-o", tmp_path / "whole", "--cores", 16).exit_code == 0
    for stage in ("onnx", "spat", "pim"):
        text = emu("compile", DIGITS, "--cores", 16, "--until", stage)
        assert text.exit_code == 0
        assert f'"{stage}.' in text.stdout
        (tmp_path / f"{stage}.mlir").write_text(text.stdout)
        out = tmp_path / stage
        assert emu("compile", DIGITS, "-o", out, "--cores", 16, "--from", tmp_path / f"{stage}.mlir").exit_code == 0
        assert open_image(out).manifest.files == open_image(tmp_path / "whole").manifest.files


def test_dump(emu: Emu, tmp_path: Path) -> None:
    assert emu("compile", DIGITS, "-o", tmp_path / "x", "--dump", tmp_path / "ir").exit_code == 0
    names = sorted(path.name for path in (tmp_path / "ir").iterdir())
    assert names[0] == "00-import.mlir"
    assert names[-1].endswith("-allocate-buffers.mlir")


def test_refusals(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"junk")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("precious")
    x = tmp_path / "x"
    for arguments, words in [
        ([DIGITS], "give -o DIRECTORY"),
        ([tmp_path / "none.onnx", "-o", x], "does not exist"),
        ([tmp_path / "bad.onnx", "-o", x], "bad.onnx is not an ONNX model"),
        ([DIGITS, "-o", tmp_path / "full"], "is not empty and holds no image"),
        ([DIGITS, "-o", x, "--arch", "huge"], "huge"),
        ([DIGITS, "-o", x, "--cores", 0], "0 is not in the range"),
        ([DIGITS, "-o", x, "--cores", 5000], "5000"),
        ([DIGITS, "-o", x, "--shape", "in0"], "write it as in0=1,3,224,224"),
        ([DIGITS, "-o", x, "--shape", "in0=1,0"], "write it as in0=1,3,224,224"),
        ([DIGITS, "-o", x, "-p", "magic"], "no pass 'magic'"),
    ]:
        result = emu("compile", *arguments)
        assert (result.exit_code, result.stdout) == (2, ""), arguments
        assert words in result.stderr
        assert "Traceback" not in result.stderr
    assert not x.exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []

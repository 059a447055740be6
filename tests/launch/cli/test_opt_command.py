"""`emu opt`: passes over IR from files and pipes, own passes, refusals."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import DIGITS, Emu
from emu_processes import EmuProcesses

from compiler.passes import PIPELINE
from emu.image.reader import open_image
from launch.cli import cli


@pytest.fixture
def ir(tmp_path: Path) -> Path:
    arguments = ["compile", DIGITS, "--cores", 16, "--until", "onnx", "--dump", tmp_path / "ir"]
    assert CliRunner().invoke(cli, list(map(str, arguments))).exit_code == 0
    return tmp_path / "ir" / "00-import.mlir"


def piped(text: str, *arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["opt", *map(str, arguments)], input=text)
    return result.exit_code, result.stdout, result.stderr


def test_all_passes_in_one_pipe_make_the_same_programs(emu: Emu, ir: Path, tmp_path: Path) -> None:
    text, weights = ir.read_text(), ir.parent / "weights.npz"
    for number, name in enumerate(PIPELINE):
        kept = tmp_path / f"{number}.npz"
        code, text, told = piped(text, "-p", name, "--cores", 16, "--weights", weights, "--save-weights", kept)
        assert (code, told) == (0, "")
        weights = kept
    (tmp_path / "pim.mlir").write_text(text)
    for out, arguments in (("whole", [DIGITS, "--golden", "none"]), ("parts", ["--from", tmp_path / "pim.mlir"])):
        arguments = [*arguments, "--weights", weights] if out == "parts" else arguments
        assert emu("compile", *arguments, "--cores", 16, "-o", tmp_path / out).exit_code == 0
    whole, parts = (open_image(tmp_path / out).manifest for out in ("whole", "parts"))
    assert whole.files == parts.files and whole.tensors == parts.tensors and whole.model == parts.model
    assert parts.options.pop("from").startswith("text of a stage, sha256 ")
    assert parts.options == whole.options


def test_a_real_pipe(emu_processes: EmuProcesses, ir: Path, tmp_path: Path) -> None:
    weights, (reader, writer) = tmp_path / "kept.npz", os.pipe()
    first = emu_processes.start("opt", ir, "-p", "normalize-gemm", "--save-weights", weights, stdout=writer)
    os.close(writer)
    second = emu_processes.run("opt", "-p", "lower-onnx-to-spat", "--weights", weights, stdin=reader)
    os.close(reader)
    assert first.communicate() == ("", "") and first.returncode == second.returncode == 0
    assert second.stderr.count("\n") == 1 and "spat.product" in second.stdout


def test_what_is_no_text_is_told() -> None:
    result = CliRunner().invoke(cli, ["opt"], input=b"func.func @main() { \xff }")
    assert (result.exit_code, result.stdout) == (2, "") and result.stderr.count("\n") == 1
    assert "/dev/stdin is not UTF-8 text" in result.stderr

"""Networks as MLIR text on the command line: who computes golden values, sizes that are open."""

import pytest
from click.testing import CliRunner
from printed_texts import FOLDER

from launch.cli import cli


def emu(*words):
    return CliRunner().invoke(cli, [*map(str, words)])


@pytest.mark.parametrize("command", ["compile", "validate"])
def test_onnxruntime_computes_no_text(command, tmp_path):
    where = ("-o", tmp_path / "out") if command == "compile" else ()
    made = emu(command, FOLDER / "jax_int8.mlir", "--golden", "onnxruntime", *where)
    assert made.exit_code == 2 and not (tmp_path / "out").exists()
    assert "--golden onnxruntime computes ONNX files, and jax_int8.mlir is none: leave it out" in made.stderr


def test_open_sizes_are_asked_for(tmp_path):
    words = ("compile", FOLDER / "torch_dynamic.mlir", "-o", tmp_path / "out")
    made = emu(*words)
    assert made.exit_code == 2 and "give its shape, such as --shape arg0=1,3,1,9" in made.stderr
    made = emu(*words, "--shape", "arg0=2,3,5,9", "--cores", 8, "--golden", "reference")
    assert made.exit_code == 0, made.stderr
    assert "golden interpreter of MLIR" in made.stdout

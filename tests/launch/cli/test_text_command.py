"""MLIR text on the command line: compiled, checked, launched and compared like an ONNX file; refusals end with 2."""

from pathlib import Path

import numpy as np
from commands import Emu

from emu.image.reader import open_image

MATMUL = """func.func @main(%x: tensor<?x4xi8>) -> tensor<?x2xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %w = arith.constant dense<[[1, 2], [3, -4], [5, 6], [-7, 8]]> : tensor<4x2xi8>
  %n = tensor.dim %x, %c0 : tensor<?x4xi8>
  %e = tensor.empty(%n) : tensor<?x2xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<?x2xi32>) -> tensor<?x2xi32>
  %y = linalg.matmul ins(%x, %w : tensor<?x4xi8>, tensor<4x2xi8>) outs(%f : tensor<?x2xi32>) -> tensor<?x2xi32>
  return %y : tensor<?x2xi32>
}
"""


def test_compile_and_launch(emu: Emu, tmp_path: Path) -> None:
    model, out = tmp_path / "product.mlir", tmp_path / "image"
    model.write_text(MATMUL)
    refused = emu("compile", model, "-o", out)
    assert refused.exit_code == 2
    assert "input 'x' is tensor<?x4xi8>; give its shape, such as --shape x=1,4" in refused.stderr
    made = emu("compile", model, "-o", out, "--shape", "x=3,4", "--arch", "tiny", "--samples", 2)
    assert (made.exit_code, made.stderr) == (0, "")
    assert "1 crossbar " in made.stdout and "golden interpreter of MLIR (NumPy " in made.stdout
    image = open_image(out)
    (x,), (y,) = image.default_inputs().values(), image.golden().values()
    weights = np.array([[1, 2], [3, -4], [5, 6], [-7, 8]])
    np.testing.assert_array_equal(y, x.astype(np.int32) @ weights)
    run = emu("launch", out, "--model", model)
    assert run.exit_code == 0, run.output
    assert "PASS  output: 0 of 12 elements differ" in run.stdout


def test_validate_with_what_is_inside(emu: Emu, tmp_path: Path) -> None:
    model = tmp_path / "two.mlir"
    model.write_text(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n%y = arith.mulf %x, %x : tensor<4xf32>\n"
        "%z = math.exp %y : tensor<4xf32>\nreturn %z : tensor<4xf32>\n}\n"
    )
    result = emu("validate", model, "--arch", "tiny", "--keep", "all", "--verify-levels")
    assert result.exit_code == 0, result.output
    assert "PASS  output" in result.stdout and "PASS  levels" in result.stdout


def test_refusals(emu: Emu, tmp_path: Path) -> None:
    texts = {
        "bytes": (b"ML\xefR....", "is MLIR bytecode: print it as text"),
        "unknown": (
            b"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = stablehlo.add %x, %x : tensor<4xf32>\n}",
            "line 2, column 8: stablehlo.add is not understood: lower it first",
        ),
        "doubles": (
            b"func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {\n  return %x : tensor<4xf64>\n}",
            "has an argument %x of f64, which cores do not have: convert it to f32",
        ),
    }
    for name, (data, sentence) in texts.items():
        model = tmp_path / f"{name}.mlir"
        model.write_bytes(data)
        for command in ("compile", "validate"):
            result = emu(command, model, *(["-o", tmp_path / "out"] if command == "compile" else []))
            assert (result.exit_code, result.stdout) == (2, "")
            assert sentence in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()

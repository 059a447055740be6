"""The runner of `.mlir` tests tells what fails."""

import pytest
from filecheck_item import Failed, run_file

RELU = """
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %y = "onnx.Relu"(%x) <{node = "relu", tensor = "y"}> : (tensor<1x4xf32>) -> tensor<1x4xf32>
  func.return %y : tensor<1x4xf32>
}
"""


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("", "has no line // RUN"),
        ("// RUN: emu opt %s | filecheck %s\n// CHECK: onnx.Sigmoid", "onnx.Sigmoid"),
        ("// RUN: emu opt %s | filecheck %s\n// CHECK-NOT: onnx.Relu", "onnx.Relu"),
        ("// RUN: emu opt %s | filecheck %s", "No check strings found"),
        ("// RUN: emu opt %s -p inline | filecheck %s\n// CHECK: x", "there is no pass 'inline'"),
        ("// RUN: not emu opt %s | filecheck %s\n// CHECK: x", "exit code 0, not 2"),
    ],
)
def test_what_fails_is_told(tmp_path, head, words):
    (tmp_path / "test.mlir").write_text(f"{head}\n{RELU}")
    with pytest.raises(Failed, match=words):
        run_file(tmp_path / "test.mlir", tmp_path)


def test_what_passes_is_silent(tmp_path):
    (tmp_path / "test.mlir").write_text(f"// RUN: emu opt %s | emu opt | filecheck %s\n// CHECK: onnx.Relu\n{RELU}")
    run_file(tmp_path / "test.mlir", tmp_path)

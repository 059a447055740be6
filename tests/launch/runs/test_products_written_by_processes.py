"""Networks with `--products all` on core processes: their crossbars are written while they run, and they pass."""

import onnx
import pytest

from launch import validate
from launch.zoo import build


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "name",
    [
        "kernels/mm-of-results",
        pytest.param("bert_mini", marks=pytest.mark.full),
        pytest.param("vit_tiny", marks=pytest.mark.full),
    ],
)
def test_networks_pass_on_processes(tmp_path, name):
    model = tmp_path / "model.onnx"
    onnx.save(build(name), model)
    report = validate(model, products="all", samples=2, timeout=200)
    assert report.verdict.passed, report.lines()

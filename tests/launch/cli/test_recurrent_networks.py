"""Recurrent networks of two layers of 256 over 100 steps of time, on the default chip."""

from pathlib import Path

import onnx
import pytest
from commands import Emu
from recurrent_zoo import two_layers


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("LSTM", ("--granularity", "rows:10")),
        ("GRU", ("--sequential",)),
    ],
)
def test_samples_in_a_row_equal_onnxruntime(emu: Emu, tmp_path: Path, kind: str, options: tuple[str, ...]) -> None:
    path = tmp_path / f"{kind}.onnx"
    onnx.save(two_layers(kind), path)
    done = emu("validate", path, "--cores", 24, "--samples", 3, *options)
    assert done.exit_code == 0, done.output
    assert "PASS  y" in done.stdout and "3 samples" in done.stdout

"""The examples of docs/assembly.md run, on both engines, and give what the text says."""

import re
from pathlib import Path

import numpy as np
import pytest

from emu.asm.assembler import assemble
from emu.check import check
from emu.image.reader import open_image
from launch.sequential import power_on_sequential

TEXT = (Path(__file__).parents[2] / "docs" / "assembly.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```asm\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
IMAGE = np.arange(24, dtype=np.float32).reshape(1, 1, 6, 4)
RUNS = [
    ({"x": np.array([[1, 2, 3, 4]], np.float32)}, {"y": [[2, 4, 6, 8]]}),
    ({"x": np.array([[1, 2, 3, 4]], np.int8)}, {"y": [[150, 200]]}),
    ({"image": IMAGE}, {"sums": IMAGE[:, :, :4] + IMAGE[:, :, 1:5] + IMAGE[:, :, 2:]}),
    ({"x": np.arange(8, dtype=np.int8)}, {"mean_and_square": [3, 56], "product": [168]}),
]


@pytest.mark.parametrize("engine", ["step", "batch"])
@pytest.mark.parametrize(("text", "run"), list(zip(EXAMPLES, RUNS, strict=True)))
def test_examples_run(tmp_path, text, run, engine):
    inputs, expected = run
    (tmp_path / "chip.asm").write_text(text)
    assemble(tmp_path / "chip.asm", tmp_path / "out")
    report = check(open_image(tmp_path / "out"))
    assert report.proved, report.refuted + report.unproved
    with power_on_sequential(tmp_path / "out", engine=engine) as chip:
        for _ in range(2):  # a second sample finds the chip as the first one did
            outputs = chip.run(inputs)
            assert outputs.keys() == expected.keys()
            for name, values in expected.items():
                np.testing.assert_array_equal(outputs[name], values)

"""The examples of docs/assembly.md run, on both engines, and give what the text says."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from emu.asm.assembler import assemble
from emu.check import check
from emu.image.reader import open_image
from launch.chips.sequential import power_on_sequential
from launch.cli import cli

TEXT = (Path(__file__).parents[3] / "docs" / "assembly.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```asm\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
IMAGE = np.arange(24, dtype=np.float32).reshape(1, 1, 6, 4)
TOKENS = np.array([[0, -1, 2]], np.int32)
WORDS = (np.arange(20, dtype=np.float32) ** 2 % 7 - 2).reshape(5, 4)
ROWS = WORDS[TOKENS[0]]
SCORES = ROWS @ ROWS.T
ADDED = SCORES.copy().reshape(-1)
ADDED[TOKENS[0]] += ROWS[:, 0]
RUNS = [
    ({"x": np.array([[1, 2, 3, 4]], np.float32)}, {"y": [[2, 4, 6, 8]]}),
    ({"x": np.array([[1, 2, 3, 4]], np.int8)}, {"y": [[150, 200]]}),
    ({"image": IMAGE}, {"sums": IMAGE[:, :, :4] + IMAGE[:, :, 1:5] + IMAGE[:, :, 2:]}),
    ({"x": np.arange(8, dtype=np.int8)}, {"mean_and_square": [3, 56], "product": [168]}),
    ({"tokens": TOKENS, "words": WORDS}, {"scores": ADDED.reshape(3, 3), "best": SCORES.argmax(1)[None]}),
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


def without_times(text: str) -> str:
    return re.sub(r"[0-9]+\.[0-9]+ s\b", "T s", text)


def test_the_session_of_the_page_is_what_happens(tmp_path, monkeypatch):
    """Commands after `$` run in a directory with the first example, and say what the page shows."""
    session = re.search(r"^```console\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[1]
    shown = re.findall(r"^\$ emu (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE)
    assert [command.split()[0] for command, _ in shown] == ["import", "launch"]
    monkeypatch.chdir(tmp_path)
    Path("double.asm").write_text(EXAMPLES[0])
    for command, output in shown:
        result = CliRunner().invoke(cli, shlex.split(command))
        assert result.exit_code == 0, result.output
        assert without_times(result.stdout) == without_times(output)

"""Every level of a right compilation makes what the import makes, and so do the programs."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import DIGITS, EXAMPLES

from launch.cli.root import cli
from launch.images.compilation import compile_image
from launch.levels.compiled import verify_compiled
from launch.levels.finding import PROGRAMS

OPTIONS = (
    {"arch": "tiny", "cores": 64},
    {"granularity": "rows:2"},
    {"lowering": "pixel", "arch": "tiny", "cores": 64},
    {"duplicate": "latency", "arch": "tiny", "cores": 64},
    {"pipelined": True},
    {"arrange": "traffic", "stagger": True},
    {"placement": "scatter", "segments": True},
)


@pytest.mark.few(4)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("model", [DIGITS, EXAMPLES / "digits_cnn_int8.onnx"], ids=lambda path: path.stem)
def test_all_levels_of_a_right_compilation_agree(model: Path, options: dict, tmp_path: Path) -> None:
    compile_image(model, tmp_path / "out", quiet=True, **options)
    levels = verify_compiled(model, tmp_path / "out", quiet=True, **options)
    assert levels.passed, levels.sentence()
    assert levels.steps[0] == "import" and levels.steps[-1] == PROGRAMS
    assert levels.compared > 20


def test_the_option_of_compile_says_so(tmp_path: Path) -> None:
    words = ["compile", str(DIGITS), "-o", str(tmp_path / "out"), "--golden", "none", "--verify-levels"]
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, told.output
    assert "PASS  levels: the import, 13 passes and the programs agree" in told.output
    told = CliRunner().invoke(cli, [*words, "--json"])
    levels = json.loads(told.stdout)["levels"]
    assert levels["passed"] and levels["differs"] is None and "cut-layers" in levels["steps"]


def test_a_stage_is_verified_as_far_as_it_is_made() -> None:
    told = CliRunner().invoke(cli, ["compile", str(DIGITS), "--until", "spat", "--verify-levels"])
    assert told.exit_code == 0 and "PASS  levels: the import, 10 passes agree" in told.stderr

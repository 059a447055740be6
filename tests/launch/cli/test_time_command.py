"""`emu time`: what people and programs see, exit codes."""

import json
import shlex
import shutil

import pytest
from commands import DIGITS
from pimsim_files import CONFIG, example, written


def test_warnings_go_to_stderr(emu, tmp_path):
    program = example()
    program["core0"].append({"op": "sldi"})
    result = emu("time", written(tmp_path, program), "--arch", CONFIG, "--json")
    assert result.stderr.startswith("warning: 1 core (0) with a scalar instruction at the end")
    assert json.loads(result.stdout)["warnings"][0] in result.stderr


@pytest.mark.parametrize("as_json", [False, True])
def test_refusals(emu, tmp_path, as_json):
    program = example()
    program["core1"][2]["core"] = 5
    option = ["--json"] if as_json else []
    result = emu("time", written(tmp_path, program), "--arch", CONFIG, *option)
    sentence = f"{tmp_path / 'program.json'}: core 1, instruction 2 (recv), key 'core': core 5 is not in the program"
    assert (result.exit_code, result.stderr) == (2, f"error: {sentence}\n")
    assert not as_json or json.loads(result.stdout)["error"] == sentence


def test_a_network_is_to_be_compiled_first(emu, tmp_path):
    """Where its name does not say that it is one: `.onnx` is compiled by the command itself."""
    shutil.copy(DIGITS, tmp_path / "a net.pb")
    result = emu("time", tmp_path / "a net.pb", "--arch", "puma")
    assert result.exit_code == 2 and "is a network, and programs are timed: compile it with" in result.stderr
    assert f"emu compile {shlex.quote(str(tmp_path / 'a net.pb'))} --arch CHIP -o OUT" in result.stderr


def test_help_has_examples(emu):
    text = emu("time", "--help").stdout
    assert "emu time program.json.gz --arch latency_config.json" in text and "first come" in text

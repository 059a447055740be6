"""`emu time`: what people and programs see, exit codes."""

import json
import shlex
import shutil

import pytest
from commands import DIGITS
from pimsim_files import CONFIG, PROGRAM, example, written


def test_text(emu):
    short = emu("time", PROGRAM, "--arch", CONFIG).stdout.splitlines()
    assert len(short) == 3 and short[1] == "latency 5.599 us, energy 18.41 nJ, 3.288 mW on average"
    result = emu("time", PROGRAM, "--arch", CONFIG, "--details")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].endswith("two_cores.json: 2 cores, 15 instructions, window of 1 operation")
    assert lines[1] == "latency 5.599 us, energy 18.41 nJ, 3.288 mW on average"
    assert lines[2].startswith(
        "by the rules of wangxy-2000/pimsim-nn; executor step, order of what ends together: upstream"
    )
    assert [line.split()[0] for line in lines[6:9]] == ["local_memory", "global_memory", "network"]
    assert lines[-2].split() == ["1", "5.599", "us", "782", "pJ"] and lines[-1].split()[1:3] == ["5.239", "us"]


@pytest.mark.parametrize("options", [[], ["--executor", "fast"], ["--build", "fork"]])
def test_json(emu, options):
    result = emu("time", PROGRAM, "--arch", CONFIG, "--json", *options)
    found = json.loads(result.stdout)
    assert (result.exit_code, found["latency_ps"], found["energy_pj"]) == (0, 5_599_000, 18407)
    assert [(core["core"], core["finish_ps"]) for core in found["cores"]] == [(0, 5_239_000), (1, 5_599_000)]
    assert found["energy_pj"] == sum(found["dynamic_pj"].values()) + sum(found["static_pj"].values())
    assert found["cores"][0]["counts"]["fetch"] == 7 and found["warnings"] == []
    wanted = {"executor": "fast" if "fast" in options else "step", "build": "fork" if "fork" in options else "upstream"}
    assert wanted.items() <= found.items()


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


def test_what_is_no_program(emu, tmp_path):
    result = emu("time", tmp_path, "--arch", CONFIG)
    assert result.exit_code == 2 and "nothing that can be timed" in result.stderr
    result = emu("time", PROGRAM, "--arch", tmp_path / "none.json")
    assert result.exit_code == 2 and "does not exist" in result.stderr
    result = emu("time", PROGRAM)
    assert result.exit_code == 2 and "name the configuration of its chip with --arch" in result.stderr


def test_help_has_examples(emu):
    text = emu("time", "--help").stdout
    assert "emu time program.json.gz --arch latency_config.json" in text and "first come" in text

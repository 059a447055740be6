"""Suite files with every kind of mistake: exit code 2, one sentence with file, line and key, and nothing runs."""

import json
from pathlib import Path

import click
import pytest
from commands import DIGITS, Emu

from emu.options import specs
from launch.campaigns.options import CampaignOptions
from launch.cli import validate
from launch.cli.campaigns import CampaignOption
from launch.cli.suite_options import case_commands
from launch.suites.commands import MODEL, NOT_OF_A_CASE

OK = 'model = "a.onnx"\n'
MISTAKES = {
    "": "suite.toml is empty",
    "[[case": "suite.toml: not valid TOML: Expected",
    "x = 1": "line 1: unknown key 'x': a suite has [defaults] and [[case]]",
    "\n[[cases]]\n": "line 2: unknown key 'cases'; did you mean 'case'?",
    "[defaults]\ncores = 2": "holds no case: add [[case]] with a model or a pattern",
    "defaults = 3\n[[case]]\n" + OK: "line 1: defaults must be a table [defaults]",
    "case = 3": "line 1: case must be a table for each case: write [[case]]",
    "[case]\n" + OK: "line 1: case must be a table for each case: write [[case]]",
    "[[case]]\ncores = 3": 'line 1: a case without model or pattern: say what it runs, as in model = "net.onnx" or',
    "[[case]]\n" + OK + 'pattern = "ring"': "line 3: a case has a model or a pattern, not both",
    "[[case]]\nmodel = 3": "line 2: key model must be a text, not 3",
    '[[case]]\nmodel = ""': "line 2: key model must be a text, not ''",
    '[[case]]\nmodel = "a\\u0000"': "line 2: key model must be a text, not 'a\\x00'",
    "[[case]]\n" + OK + "name = ['a']": "line 3: key name must be a text, not ['a']",
    '[[case]]\nmodel = "b.onnx"': "line 2: case 'b': model: File '{}/b.onnx' does not exist",
    '[[case]]\nmodel = "nets/*.onnx"': "line 2: no file is like model 'nets/*.onnx'",
    '[[case]]\nname = "x"\nmodel = "*.onnx"': "line 2: model '*.onnx' is 1 file, each a case called as its file: leave",
    "[[case]]\n" + OK + "\n[[case]]\nsamples = 2\n" + OK: "line 4: case 'a': the case of line 1 has this name, too",
    "[[case]]\n" + OK + "expect = 'refusal'": "line 3: key expect must be right, wrong, refused, trap, deadlock,",
    "[defaults]\nexpect = 3\n[[case]]\n" + OK: "line 2: key expect must be right, wrong, refused, trap, deadlock,",
    "[[case]]\n" + OK + "core = 3": "line 3: unknown key 'core'; did you mean 'cores'?",
    "[defaults]\nsample = 3\n[[case]]\n" + OK: "line 2: unknown key 'sample'; did you mean 'samples'?",
    "[[case]]\n" + OK + "zyx = 3": "line 3: unknown key 'zyx': the keys are the long options of `emu validate`",
    '[[case]]\npattern = "ring"\nsamples = 3': "line 3: unknown key 'samples'",
    "[[case]]\n" + OK + "jobs = 3": "line 3: key jobs is for the command line: no case has it",
    "[[case]]\n" + OK + "json = true": "line 3: key json is for the command line: no case has it",
    '[[case]]\npattern = "ring"\nlist = true': "line 3: key list is for the command line: no case has it",
    "[defaults]\nname = 'x'\n[[case]]\n" + OK: "line 2: key name belongs into a [[case]], not into [defaults]",
    "[[case]]\n" + OK + "baseline = 'a.onnx'\nmax-bytes = '1x'": "line 3: case 'a': --baseline {}/a.onnx: ",
    "[[case]]\n" + OK + "chaos_seed = 1": "line 3: case 'a': --chaos-seed has no effect without --chaos",
    "[[case]]\n" + OK + "log_dir = 'a'\nlog-dir = 'b'": "line 4: key log-dir is given twice, by - and by _",
    "[[case]]\n" + OK + "sequential = 'yes'": "line 3: key sequential must be true or false, not 'yes'",
    "[[case]]\n" + OK + "cores = [1, 2]": "line 3: key cores takes one value, not the list [1, 2]",
    "[[case]]\n" + OK + "cores = 2024-01-01": "line 3: key cores must be a text or a number, not datetime.date(",
    "[[case]]\n" + OK + "cores = 0": "line 3: case 'a': cores: 0 is too small: give 1 or more",
    "[defaults]\ncores = 'x'\n[[case]]\n" + OK: "line 2: case 'a': cores: 'x' is no whole number from 1 on",
    "[[case]]\n" + OK + "tolerance = nan": "line 3: case 'a': tolerance: 'nan' is no finite number",
    "[[case]]\n" + OK + "engine = 'steam'": "line 3: case 'a': engine: 'steam' is not one of",
    "[[case]]\n" + OK + "arch = 'tyny'": "line 3: case 'a': arch: architecture 'tyny' is neither a preset",
    "[[case]]\n" + OK + "arch = 'chip.toml'": "line 3: case 'a': arch: architecture '/",
    "[[case]]\n" + OK + "sequential = true\nbind = 'x'": "line 4: case 'a': --bind has no effect with --sequential",
    '[[case]]\npattern = "rign"': "line 1: case 'rign': there is no pattern 'rign'; did you mean 'ring'?",
    '[[case]]\npattern = "ring"\nchaos-runs = 3': "line 3: case 'ring': --chaos-runs has no effect without --chaos",
    '[[case]]\npattern = "ring"\nchaos = "meteor"': "line 3: case 'ring': --chaos 'meteor' is of no known kind",
    "[defaults]\nlog-dir = 'l'\n[[case]]\n"
    + OK
    + '[[case]]\npattern = "ring"': "line 2: case 'ring': log-dir {}/l is also that of case 'a': give each",
}


@pytest.mark.parametrize(("text", "sentence"), MISTAKES.items())
def test_one_sentence(emu: Emu, tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "a.onnx").write_bytes(DIGITS.read_bytes())
    suite = tmp_path / "suite.toml"
    suite.write_text(text)
    result = emu("validate", "--suite", suite, "--junit", tmp_path / "out.xml", "--json")
    assert result.exit_code == 2
    told = json.loads(result.stdout)
    assert told["error"].startswith(str(suite)) and sentence.format(tmp_path) in told["error"]
    assert result.stderr == f"error: {told['error']}\n"
    assert {path.name for path in tmp_path.iterdir()} == {"a.onnx", "suite.toml"}


def test_a_file_that_is_too_large_or_no_text(emu: Emu, tmp_path: Path) -> None:
    suite = tmp_path / "suite.toml"
    suite.write_bytes(b"#" * ((1 << 20) + 1))
    assert "has 1048577 bytes, more than the 1048576" in emu("validate", "--suite", suite).stderr
    suite.write_bytes(b"# \xff")
    assert "line 1: not UTF-8 text" in emu("validate", "--suite", suite).stderr


def test_two_cases_do_not_write_one_directory(emu: Emu, tmp_path: Path) -> None:
    other = tmp_path / "other.onnx"
    other.write_bytes(DIGITS.read_bytes())
    result = emu("validate", DIGITS, other, "--log-dir", tmp_path / "logs")
    assert result.exit_code == 2 and "is also that of case 'digits_cnn': give each case its own" in result.stderr


def test_every_option_of_a_run_is_a_key() -> None:
    """Whatever is added to the command, unless it is of the command as a whole."""
    run = case_commands()[MODEL]
    assert run.of_all == {"suite", *specs(CampaignOptions)}
    keys = {str(option.name) for option in run.options().values()}
    options = [option for option in run.command.params if isinstance(option, click.Option)]
    assert all(isinstance(option, CampaignOption) == (option.name in run.of_all) for option in options)
    assert {str(option.name) for option in options} - keys <= run.of_all | NOT_OF_A_CASE
    assert {"cores", "shape", "golden", "tolerance", "deadline", "sequential", "log-dir"} <= set(run.options())


def test_what_a_command_refuses_of_its_options_is_told_of_the_case(
    emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(parameters: dict[str, object]) -> None:
        if parameters["samples"] == 3:
            raise click.UsageError("--samples 3 needs a baseline")

    monkeypatch.setattr(validate, "check_options", refuse, raising=False)
    suite = tmp_path / "suite.toml"
    case = f'[[case]]\nname = "{{}}"\nmodel = "{DIGITS}"\nsamples = {{}}\n'
    suite.write_text(case.format("a", 2) + case.format("b", 3))
    refused = emu("validate", "--suite", suite)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == f"error: {suite}, line 8: case 'b': --samples 3 needs a baseline\n"

"""`launch.validate`: what `emu validate` says, from Python."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from commands import DIGITS

from emu.arch.read import load_arch
from emu.errors import EmuError, InputError
from launch import validate
from launch.cli import cli

TIMEOUT = 100


def test_it_says_what_the_command_says():
    report = validate(DIGITS, cores=16, samples=3, seed=5, sequential=True)
    done = CliRunner().invoke(
        cli, ["validate", str(DIGITS), "--cores", "16", "--samples", "3", "--seed", "5", "--sequential", "--json"]
    )
    printed = json.loads(done.stdout)
    assert (report.exit_code, done.exit_code) == (0, 0)
    assert json.loads(json.dumps(report.verdict.to_dict())) == printed["verdict"]
    assert report.verdict.tensors[0].samples == 3
    assert report.lines()[-1].startswith("PASS")


def test_cores_are_processes_unless_told_otherwise(emu_validate, tmp_path):
    report = emu_validate(str(DIGITS), "tiny", flow="credits:2", timeout=TIMEOUT, log_dir=tmp_path / "logs")
    assert report.verdict.passed and report.result.cores > 1
    assert len(list((tmp_path / "logs").iterdir())) >= report.result.cores


def test_what_differs_is_exit_code_1():
    report = validate(DIGITS, cores=16, tolerance=1e-30, sequential=True)
    assert report.exit_code == 1 and not report.verdict.passed


def test_without_golden_values_nothing_is_compared():
    report = validate(DIGITS, cores=16, golden="none", sequential=True)
    assert report.verdict is None and "--golden none" in report.note
    assert validate(DIGITS, cores=16, golden="reference", sequential=True).verdict.source.startswith("onnx.reference")


def test_a_description_of_ones_own():
    arch = replace(load_arch("default"), name="ours", cores=8)
    assert validate(DIGITS, arch, sequential=True).result.cores <= 8


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        ("missing.onnx", {}, "missing.onnx"),
        (DIGITS, {"golden": "oracle"}, "golden 'oracle' is unknown"),
        (DIGITS, {"samples": 0}, "samples 0 is no whole number: give an int of 1 or more"),
        (DIGITS, {"seed": 1.5}, "seed 1.5 is no whole number"),
        (DIGITS, {"cores": 5000}, "^cores 5000: architecture default"),
        (DIGITS, {"engine": "steam"}, "engine 'steam' is unknown"),
        (DIGITS, {"timeout": -1}, "timeout -1 is invalid"),
        (DIGITS, {"shapes": {"in0": "1,1"}}, "must be a tuple of int"),
        (DIGITS, {"arch": "large"}, "'large' is neither a preset"),
    ],
)
def test_errors_are_sentences_and_nothing_is_left(tmp_path, monkeypatch, model, options, words):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(InputError, match=words) as caught:
        validate(model, **options)
    assert isinstance(caught.value, EmuError) and "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())

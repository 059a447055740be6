"""`emu launch --analog`: verdicts that are statistics, exit codes, what is saved and resumed, what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from analog_chips import COARSE, NOISY
from commands import DIGITS, Emu
from stepped_nets import INPUTS, accumulator, cell

import compiler
from emu.errors import InputError
from emu.image.npz import read_npz
from emu.image.reader import open_image
from launch.analog.described import described
from launch.analog.interval import wilson
from launch.analog.options import OWN
from launch.analog.trials import run_trials
from launch.samples.store import SampleStore


def values_of(launch: Any, *options: object, code: int = 0) -> dict[str, Any]:
    result = launch("--sequential", "--json", *options)
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_the_verdict_is_of_all_trials(launch: Any, noisy: Path) -> None:
    options = ("--analog", noisy, "--trials", 3, "--keep", "all")
    found = values_of(launch, *options)
    analog, tensor = found["analog"], found["analog"]["outputs"][0]
    assert (found["samples"], analog["trials"], analog["samples"], analog["seed"]) == (12, 3, 4, 0)
    assert found["accuracy"] == {name: analog["accuracy"][name] for name in ("right", "of")}
    assert (analog["accuracy"]["low"], analog["accuracy"]["high"]) == wilson(analog["accuracy"]["right"], 12)
    assert sum(analog["agreement"]["by_trial"]) == analog["agreement"]["right"]
    assert 0 < tensor["snr_db"] < 40 and len(tensor["snr_db_by_trial"]) == 3
    assert 0 < tensor["relative"] == pytest.approx(10 ** (-tensor["snr_db"] / 20))
    assert [kept["node"] for kept in analog["kept"]][-1] == "node_linear_1" and not found["kept_not_compared"]
    assert {layer["node"] for layer in analog["layers"]} == {group["node"] for group in analog["groups"]}
    for layer in analog["layers"]:
        assert layer["conversions"] and layer["histogram"] is None  # these converters are ideal
        assert layer["lowest"] < layer["highest"]
    assert not found["verdict"]["passed"] and found["kept"] is None and found["reason"] == ""
    text = launch("--sequential", *options)
    assert text.exit_code == 0 and "an analog run is not expected to equal its golden values" in text.stdout
    assert "FAIL" not in text.stdout and f"/12 ({100 * analog['accuracy']['share']:.2f} %)" in text.stdout


def test_converters_that_round_have_codes_with_ranges(launch: Any, noisy: Path) -> None:
    noisy.write_text(COARSE)
    for layer in values_of(launch, "--analog", noisy)["analog"]["layers"]:
        assert sum(layer["histogram"]) == layer["conversions"] and 0 <= layer["clipped_share"] < 1
        assert -128 < layer["lowest"] < layer["highest"] < 128  # whole cells of the rows of an array


def test_the_exit_code_is_by_the_lower_bound_or_the_tolerance(launch: Any, noisy: Path) -> None:
    options = ("--analog", noisy, "--analog-seed", 7)
    known = values_of(launch, *options)["analog"]["accuracy"]
    under = values_of(launch, *options, "--min-accuracy", known["low"] - 1e-9)
    assert under["reason"] == ""
    over = values_of(launch, *options, "--min-accuracy", known["low"] + 1e-9, code=1)
    assert f"and {known['low']:.4g} at least, --min-accuracy" in over["reason"]
    assert known["low"] < known["share"]
    assert values_of(launch, *options, "--tolerance", 1e9)["analog"]["bound"]
    strict = launch("--sequential", *options, "--tolerance", 1e-4)
    assert strict.exit_code == 1 and "FAIL  out0" in strict.stdout and "not expected" not in strict.stdout


def test_own_physics_that_say_nothing_pass_bit_for_bit(launch: Any, tmp_path: Path) -> None:
    ideal, own = tmp_path / "ideal.npz", tmp_path / "own.npz"
    assert launch("--save", ideal).exit_code == 0
    result = launch("--analog", OWN, "--save", own)
    assert result.exit_code == 0 and "PASS  out0" in result.stdout
    assert own.read_bytes() == ideal.read_bytes()


def test_processes_save_what_trials_in_this_process_give(
    launch: Any, image: Path, inputs: Any, noisy: Path, tmp_path: Path
) -> None:
    arch = described(open_image(image), [noisy], 3, len(inputs["in0"]))
    want = run_trials(image, arch, inputs, 2).outputs["out0"]
    options = ("--analog", noisy, "--analog-seed", 3, "--trials", 2)
    chaos = ("--chaos", "delay:0.2,1", "--chaos-runs", 1)
    assert launch(*options, "--save", tmp_path / "out.npz").exit_code == 0
    assert read_npz(tmp_path / "out.npz")["out0"].tobytes() == want.tobytes()
    disturbed = launch(*options, *chaos)
    assert disturbed.exit_code == 0, disturbed.output


@pytest.mark.parametrize("finished", [3, 4, 6])
def test_an_interrupted_run_is_continued_within_its_trial(
    launch: Any, noisy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished: int
) -> None:
    options = ("--sequential", "--analog", noisy, "--trials", 2, "--keep", "relu", "--golden", "onnxruntime")
    assert launch(*options, "--save", tmp_path / "whole.npz").exit_code == 0
    append = SampleStore.append

    def full(store: SampleStore, arrays: Any) -> None:
        if store.count == finished:
            raise InputError("the disk is full")
        append(store, arrays)

    out = tmp_path / "out.npz"
    with monkeypatch.context() as patch:
        patch.setattr(SampleStore, "append", full)
        assert launch(*options, "--save", out).exit_code == 2
    other = launch(*options, "--analog-seed", 1, "--save", out, "--resume")
    assert other.exit_code == 2 and "was begun with another --analog or --analog-seed" in other.stderr
    result = launch(*options, "--save", out, "--resume", "--json")
    analog = json.loads(result.stdout)["analog"]
    assert result.exit_code == 0 and analog["counted"] == 8 - finished
    assert out.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    whole = json.loads(launch(*options, "--json").stdout)["analog"]
    assert analog["kept"] == whole["kept"] and analog["accuracy"] == whole["accuracy"]


def test_states_begin_anew_with_each_trial(emu: Emu, tmp_path: Path) -> None:
    onnx.save(cell(1), tmp_path / "cell.onnx")
    compiler.compile(tmp_path / "cell.onnx", out=tmp_path / "out", cores=24, states={"h0": "h", "c0": "c"})
    steps = np.random.default_rng(0).standard_normal((3, 1, 1, INPUTS)).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=steps)
    options = ("--stateful", "--sequential", "--input", tmp_path / "x.npz", "--model", tmp_path / "cell.onnx")
    result = emu("launch", tmp_path / "out", *options, "--analog", OWN, "--trials", 2, "--json")
    assert result.exit_code == 0, result.output
    (error, *_) = json.loads(result.stdout)["analog"]["outputs"]
    first, second = error["snr_db_by_trial"]
    assert first == second > 100


def test_what_has_no_array_group_is_refused(emu: Emu, tmp_path: Path) -> None:
    onnx.save(accumulator(), tmp_path / "sum.onnx")
    compiler.compile(tmp_path / "sum.onnx", out=tmp_path / "out", cores=4)
    result = emu("launch", tmp_path / "out", "--analog", OWN)
    assert result.exit_code == 2 and "have no array group" in result.stderr and result.stderr.count("\n") == 1


REFUSED = [
    (["--trials", 2], "--trials programs cells anew: give --analog, too"),
    (["--analog-seed", 2], "--analog-seed is of random numbers of cells: give --analog, too"),
    (["--analog", OWN, "--repeat", 2], "give --trials 2 instead"),
    (["--analog", OWN, "--bisect"], "--bisect has no effect with --analog"),
    (["--analog", "missing.toml"], "missing.toml"),
    (["--analog", "samples.toml"], "draws.samples"),
    (["--analog", "bad.toml"], "bad.toml"),
    (["--analog", OWN, "--analog-seed", 1 << 63], "draws.seed"),
]


@pytest.mark.parametrize(("options", "words"), REFUSED)
def test_what_means_nothing_is_refused_in_one_sentence(
    launch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[object], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("samples.toml").write_text("[draws]\nsamples = 2\n")
    Path("bad.toml").write_text("[device]\ntime_s = -1\n")
    result = launch("--sequential", *options)
    assert result.exit_code == 2 and words in result.stderr and result.stderr.count("\n") == 1, result.output
    assert not result.stdout


def test_a_network_is_validated_on_its_own_chip(emu: Emu, noisy: Path, tmp_path: Path) -> None:
    chip = tmp_path / "whole.toml"
    chip.write_text('[chip]\nbase = "default"\n' + NOISY)
    words = ("validate", DIGITS, "--cores", 16, "--sequential", "--samples", 2, "--arch", chip, "--trials", 2)
    own = emu(*words, "--analog", OWN, "--json")
    assert own.exit_code == 0, own.output
    by_file = emu("validate", DIGITS, "--cores", 16, "--sequential", "--samples", 2, "--analog", noisy, "--trials", 2)
    analog = json.loads(own.stdout)["analog"]
    assert analog["outputs"][0]["snr_db"] < 40 and f"{analog['outputs'][0]['snr_db']:.1f} dB" in by_file.stdout
    chip.write_text('[chip]\nbase = "default"\n[crossbar]\nkind = "analog"\n' + NOISY)
    said = emu(*words[:-2], "--json")  # by the chip itself
    assert json.loads(said.stdout)["analog"]["outputs"][0]["snr_db"] < 40 and said.exit_code == 0
    failed = emu(*words, "--analog", OWN, "--tolerance", 1e-3, "--keep-artifacts", tmp_path / "kept")
    assert failed.exit_code == 1 and "--analog own" in (tmp_path / "kept" / DIGITS.stem / "repeat.sh").read_text()
    refused = emu(*words, "--analog", OWN, "--verify-levels")
    assert refused.exit_code == 2 and "--verify-levels has no effect with --analog" in refused.stderr


def test_a_killed_core_ends_the_run_and_a_trace_follows_it(launch: Any, noisy: Path, tmp_path: Path) -> None:
    killed = launch("--analog", noisy, "--trials", 2, "--chaos", "kill:1@3")  # and nothing is left, as of every test
    assert killed.exit_code == 5 and "core 1" in killed.stderr, killed.output
    plain = json.loads(launch("--analog", noisy, "--json").stdout)
    traced = json.loads(launch("--analog", noisy, "--trace", tmp_path / "run.json", "--json").stdout)
    assert traced["trace"]["events"] and traced["analog"] == plain["analog"]


def test_the_arguments_of_a_report_repeat_it(launch: Any, noisy: Path) -> None:
    found = values_of(launch, "--analog", noisy, "--trials", 2)
    assert ["--analog", str(noisy), "--trials", "2"] == found["run"]["command"][-4:]
    assert found["run"]["arch"]["device"]["programming_sigma"] == 0.03 and "analog" not in found["options"]

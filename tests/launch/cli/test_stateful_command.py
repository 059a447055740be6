"""`emu compile --state`, `--max-length`, `emu launch --stateful`: steps, first values, and what is refused."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from commands import Emu
from decoders import decoder
from exported_decoders import gpt2
from stepped_nets import accumulator

from emu.image.manifest import StateSpec
from emu.image.npz import read_npz
from emu.image.reader import open_image


@pytest.fixture
def sums(emu: Emu, tmp_path: Path) -> Path:
    """An image of an accumulator, with three inputs beside it."""
    onnx.save(accumulator(), tmp_path / "sum.onnx")
    np.savez(tmp_path / "x.npz", x=np.arange(12, dtype=np.float32).reshape(3, 1, 4))
    done = emu("compile", tmp_path / "sum.onnx", "-o", tmp_path / "sum", "--state", "s=y")
    assert (done.exit_code, done.stderr) == (0, "")
    return tmp_path / "sum"


def steps(emu: Emu, sums: Path, *options: object):
    return emu("launch", sums, "--stateful", "--input", sums.parent / "x.npz", *options)


@pytest.mark.parametrize("options", [(), ("--sequential",), ("--flow", "credits:3", "--transport", "tcp")])
def test_samples_are_steps_and_equal_those_of_the_evaluator(emu: Emu, sums: Path, options: tuple[object, ...]) -> None:
    made = sums.parent / "made.npz"
    done = steps(emu, sums, "--model", sums.parent / "sum.onnx", "--repeat", 2, "--save", made, *options)
    assert done.exit_code == 0, done.output
    assert "PASS  y" in done.stdout
    assert read_npz(made)["y"][:, 0, 0].tolist() == [0, 4, 12]


def test_a_sample_by_itself_has_states_as_inputs(emu: Emu, sums: Path) -> None:
    assert emu("launch", sums).exit_code == 0  # stored inputs, stored golden values
    done = emu("launch", sums, "--input", sums.parent / "x.npz", "--golden", "none")
    assert (done.exit_code, "has no array 's'" in done.stderr) == (2, True)


def test_first_values(emu: Emu, sums: Path) -> None:
    model = sums.parent / "sum.onnx"
    np.savez(sums.parent / "s.npz", s=np.full((1, 4), 5, np.float32))
    np.save(sums.parent / "s.npy", np.full((1, 4), 5, np.float32))
    for given in ("s=5,5,5,5", f"s={sums.parent / 's.npy'}", sums.parent / "s.npz"):
        done = steps(emu, sums, "--initial", given, "--model", model, "--json", "--print")
        told = json.loads(done.stdout)
        assert (told["exit_code"], told["run"]["stateful"]) == (0, True)
        assert [step[0][0] for step in told["outputs"]["y"]["values"]] == [5, 9, 17]


def test_disturbed_runs_give_the_same_steps(emu: Emu, sums: Path) -> None:
    done = steps(emu, sums, "--golden", "none", "--chaos", "delay:0.5,1", "--chaos-runs", 2)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--initial", "t=1,2,3,4"), "--initial t=...: the inputs are 's' float32 (1, 4)"),
        (("--initial", "s=1,2"), "--initial s=...: 2 numbers, but 's' float32 (1, 4) has 4 per sample"),
        (("--initial", "s=1,2,3,4,5,6,7,8"), "--initial has 2 values for state 's'"),
        (("--initial", "FOLDER/x.npz"), "x.npz has no state: it holds 'x', the states are 's'"),
        (("--initial", "FOLDER/x.npz", "--initial", "s=1,2,3,4"), "--initial takes one FILE.npz with states, or NAME="),
        (("--resume", "--save", "FOLDER/out.npz"), "--resume begins in the middle"),
        ((), "has no golden values for these inputs"),
    ],
)
def test_what_does_not_fit_is_one_sentence(emu: Emu, sums: Path, options: tuple[str, ...], message: str) -> None:
    told = ("--golden", "none") if options else ()
    done = steps(emu, sums, *(text.replace("FOLDER", str(sums.parent)) for text in options), *told)
    assert done.exit_code == 2
    assert message in done.stderr and done.stderr.count("\n") == 1


def test_states_are_needed_to_be_kept(emu: Emu, sums: Path) -> None:
    plain = sums.parent / "plain"
    assert emu("compile", sums.parent / "sum.onnx", "-o", plain).exit_code == 0
    done = emu("launch", plain, "--stateful", "--golden", "none")
    assert (done.exit_code, "has no states: compile it with --state INPUT=OUTPUT" in done.stderr) == (2, True)
    done = emu("launch", sums, "--initial", "s=1,2,3,4")
    assert (done.exit_code, "--initial is about states: keep them by --stateful, too" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (("s=z",), "there is no output 'z' for a state: the outputs are y"),
        (("t=y",), "there is no input 't' for a state"),
        (("auto",), "--state auto finds no input past... with an output present..."),
        (("s",), "are no pairs: write them as past=present,...; or auto"),
        (("s=y,s=y",), "input 's' is given more than once"),
        (("s=y", "s=y"), "--state s=... is given more than once"),
        (("s=y", "auto"), "--state auto finds all states"),
    ],
)
def test_wrong_pairs_are_refused(emu: Emu, sums: Path, states: tuple[str, ...], message: str) -> None:
    options = [word for pair in states for word in ("--state", pair)]
    done = emu("compile", sums.parent / "sum.onnx", "-o", sums.parent / "wrong", *options)
    assert (done.exit_code, message in done.stderr) == (2, True), done.stderr
    assert not (sums.parent / "wrong").exists()


def test_states_survive_texts(emu: Emu, sums: Path, tmp_path: Path) -> None:
    """Of a stage, and of the programs; `emu info` tells them."""
    text, model = tmp_path / "sum.mlir", tmp_path / "sum.onnx"
    text.write_text(emu("compile", model, "--until", "spat", "--state", "s=y").stdout)
    assert emu("compile", "--from", text, "-o", tmp_path / "again").exit_code == 0
    assert emu("export", "--to", "asm", sums, "-o", tmp_path / "text").exit_code == 0
    assert emu("import", tmp_path / "text", "-o", tmp_path / "assembled").exit_code == 0
    for out in (sums, tmp_path / "again", tmp_path / "assembled"):
        assert open_image(out).manifest.states == (StateSpec("s", "y"),)
        assert "states s from y\n" in emu("info", out).stdout
        assert json.loads(emu("info", out, "--json").stdout)["states"] == [{"input": "s", "output": "y"}]
    for option in (("--state", "s=y"), ("--max-length", 8)):
        done = emu("compile", "--from", text, "-o", tmp_path / "third", *option)
        assert (done.exit_code, f"{option[0]} is for reading a model" in done.stderr) == (2, True)


def test_a_decoder_in_steps(emu: Emu, tmp_path: Path) -> None:
    """Golden values, of a sample and of steps, are those of the model with caches of fixed capacity."""
    onnx.save(decoder(), tmp_path / "decoder.onnx")
    np.savez(tmp_path / "ids.npz", ids=np.array([3, 1, 4, 9]).reshape(4, 1, 1))
    compiled = ("compile", tmp_path / "decoder.onnx", "-o", tmp_path / "out", "--shape", "ids=1,1")
    refused = emu(*compiled)
    assert (refused.exit_code, "say how many tokens it is to hold by --max-length" in refused.stderr) == (2, True)
    assert emu(*compiled, "--max-length", 4).exit_code == 0
    assert emu("launch", tmp_path / "out").exit_code == 0
    steps = ("launch", tmp_path / "out", "--stateful", "--model", tmp_path / "decoder.onnx", "--input")
    done = emu(*steps, tmp_path / "ids.npz")
    assert done.exit_code == 0 and "PASS  scores" in done.stdout, done.output
    np.savez(tmp_path / "long.npz", ids=np.ones((5, 1, 1), np.int64))
    done = emu(*steps, tmp_path / "long.npz", "--golden", "none")
    assert (done.exit_code, "index outside the table" in done.stderr) == (3, True)


def test_a_decoder_whose_caches_a_concat_appends_to(emu: Emu, tmp_path: Path) -> None:
    """Golden values are those of the file, read with the shapes that it was compiled for."""
    decoder, room = gpt2(2, 2, layers=1), 6
    onnx.save(decoder.model, tmp_path / "gpt2.onnx")
    _, full = zip(*decoder.feeds(3, room), strict=True)
    np.savez(tmp_path / "steps.npz", **{name: np.stack([feed[name] for feed in full]) for name in full[0]})
    out = tmp_path / "out"
    compiled = ("compile", tmp_path / "gpt2.onnx", "-o", out, "--max-length", room)
    refused = emu(*compiled)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "input 'input_ids' has a dynamic shape" in refused.stderr and not out.exists()
    assert emu(*compiled, "--shape", "input_ids=2,2", "--cores", 24).exit_code == 0
    assert emu("launch", out).exit_code == 0
    done = emu("launch", out, "--stateful", "--model", tmp_path / "gpt2.onnx", "--input", tmp_path / "steps.npz")
    assert done.exit_code == 0 and "PASS  logits" in done.stdout, done.output

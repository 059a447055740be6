"""Runs as command lines: what the command reads from them is what they were made of."""

from dataclasses import replace
from pathlib import Path

import click
import pytest
from commands import DIGITS
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.arch import Arch
from emu.arch.read import load_arch
from emu.arch.write import arch_to_toml
from emu.chaos.spec import Chaos
from emu.errors import ArchError
from launch.cli import cli
from launch.cli.chaos_options import take_chaos
from launch.processes.options import RunOptions
from launch.runs.repeating import arch_word, without
from launch.runs.request import Job
from launch.runs.validation import Validation

options = st.builds(
    RunOptions,
    transport=st.sampled_from(["ipc", "tcp"]),
    flow=st.sampled_from(["rendezvous", "credits:3"]),
    engine=st.sampled_from(["batch", "step"]),
    timeout=st.none() | st.sampled_from([600.0, 30.0]),
    chaos=st.none()
    | st.builds(Chaos, st.lists(st.sampled_from(["kill:1", "nice"]), min_size=1).map(tuple), st.just(4)),
)
names = st.text("ab=()'0", min_size=1)
shapes = st.dictionaries(names, st.lists(st.integers(1, 9), max_size=3).map(tuple))
validations = st.builds(
    Validation,
    cores=st.none() | st.integers(1, 9),
    arch=st.sampled_from(["default", "tiny", load_arch("tiny")]),
    shapes=st.none() | shapes | shapes.map(lambda sizes: tuple(sizes.items())),
    input=st.none() | st.lists(st.tuples(names, st.sampled_from(["1,2", "x.npy"])), min_size=1).map(tuple),
    seed=st.integers(0, 3),
    samples=st.integers(1, 3),
    keep=st.lists(st.sampled_from(["all", "a b"]), max_size=2),
    keep_informs=st.booleans(),
    repeat=st.integers(1, 3),
    analog=st.sampled_from([(), ("own",), ("own", "a b.toml")]),
    analog_seed=st.none() | st.just(7),
    trials=st.integers(1, 2),
    tolerance=st.none() | st.just(0.25),
    max_cores=st.none() | st.sampled_from([3, "1.5x"]),
    name=st.sampled_from(["", "a b"]),
)


def parsed(command: str, words: list[str]) -> dict[str, object]:
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    return found.make_context(command, words).params


@settings(max_examples=examples(5, 100))
@given(validations, options)
def test_the_command_of_a_validation(validation: Validation, run_options: RunOptions) -> None:
    words = validation.command(DIGITS, run_options)
    assert words[:2] == ["emu", "validate"]
    params = parsed("validate", words[2:])
    models = params.get("models", (params.get("model"),))
    assert list(models) == [DIGITS.absolute()]
    assert dict(params["shapes"]) == dict(validation.shapes or {})
    assert params["input_file"] == (validation.input or ())
    arch = validation.arch if isinstance(validation.arch, Arch) else load_arch(validation.arch)
    assert load_arch(params["arch"]) == arch
    for name in ("cores", "tolerance", "repeat", "keep_informs", "name", "analog", "analog_seed"):
        assert params[name] == getattr(validation, name)
    assert (params["seed"] or 0, params["samples"] or 1) == (validation.seed, validation.samples)
    assert (params["trials"] or 1) == validation.trials
    assert params["keep"] == tuple(validation.keep)
    assert params["max_cores"] == (None if validation.max_cores is None else str(validation.max_cores))
    params["chaos"], _ = take_chaos(params)
    assert replace(RunOptions.take(params), cores=None, seed=0) == run_options


@settings(max_examples=examples(5, 100))
@given(options, st.integers(1, 3), st.none() | st.just(0.5))
def test_the_command_of_an_image(run_options: RunOptions, repeat: int, tolerance: float | None) -> None:
    job = Job(out=Path("x"), options=run_options, repeat=repeat, tolerance=tolerance)
    params = parsed("launch", [str(DIGITS.parent), *job.arguments()])
    assert (params["repeat"], params["tolerance"], params["flow"]) == (repeat, tolerance, run_options.flow)
    assert not params["model"] and not params["labels"]
    kept = replace(job, keep=("a",), model=DIGITS, labels="l", min_accuracy=0.5)
    params = parsed("launch", [str(DIGITS.parent), *kept.arguments()])
    assert (params["keep"], params["model"]) == (("a",), DIGITS.absolute())
    assert (params["labels"], params["min_accuracy"]) == ("l", 0.5)


@given(st.builds(replace, st.just(load_arch("tiny")), cores=st.integers(1, 9), name=st.sampled_from(["tiny", "ours"])))
def test_an_architecture_made_in_python_is_never_another_one(arch: Arch) -> None:
    words = Validation(arch=arch).command(DIGITS, RunOptions())
    named = words[words.index("--arch") + 1]
    with pytest.raises(ArchError, match="nor a file"):
        load_arch(named)
    kept = Validation(arch=arch, keep_artifacts="out", name="n").command(DIGITS, RunOptions())
    assert kept[kept.index("--arch") + 1] == str(Path("out/n/arch.toml").absolute())


def test_an_architecture_of_a_file_is_named_by_it_unless_it_was_changed(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(arch_to_toml(replace(load_arch("tiny"), name="ours")))
    arch = load_arch(str(file))
    assert arch_word(arch) == str(file) and arch_word(replace(arch, cores=3)) == ""
    file.write_text("[chip]\n")
    assert arch_word(arch) == ""
    file.unlink()
    assert arch_word(arch) == ""


def test_a_command_without_an_option() -> None:
    words = ["emu", "validate", "--keep-artifacts", "x", "m", "--keep-artifacts=y", "--keep", "all"]
    assert without(words, "keep_artifacts") == ["emu", "validate", "m", "--keep", "all"]

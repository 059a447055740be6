"""Runs as command lines: what the command reads from them is what they were made of."""

from dataclasses import replace
from pathlib import Path

import click
from commands import DIGITS
from hypothesis import given
from hypothesis import strategies as st

from emu.chaos.spec import Chaos
from launch.cli import cli
from launch.processes.options import RunOptions
from launch.runs.job import Job
from launch.runs.repeating import launch_arguments, without
from launch.runs.validation import Validation

MODEL = Path("m.onnx").absolute()
options = st.builds(
    RunOptions,
    transport=st.sampled_from(["ipc", "tcp"]),
    flow=st.sampled_from(["rendezvous", "credits:3"]),
    engine=st.sampled_from(["batch", "step"]),
    timeout=st.sampled_from([600.0, 30.0]),
    chaos=st.none()
    | st.builds(Chaos, st.lists(st.sampled_from(["kill:1", "nice"]), min_size=1).map(tuple), st.just(4)),
)
validations = st.builds(
    Validation,
    cores=st.none() | st.integers(1, 9),
    arch=st.sampled_from(["default", "tiny"]),
    shapes=st.sampled_from([None, {"in=0": (1, 2), "y": (3,)}]),
    seed=st.integers(0, 3),
    samples=st.integers(1, 3),
    keep=st.lists(st.sampled_from(["all", "a b"]), max_size=2),
    keep_informs=st.booleans(),
    repeat=st.integers(1, 3),
    tolerance=st.none() | st.just(0.25),
    max_cores=st.none() | st.sampled_from([3, "1.5x"]),
    name=st.sampled_from(["", "a b"]),
)


def parsed(command: str, words: list[str]) -> dict[str, object]:
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    return found.make_context(command, words).params


@given(validations, options)
def test_the_command_of_a_validation(validation: Validation, run_options: RunOptions) -> None:
    words = validation.command(DIGITS, run_options)
    assert words[:2] == ["emu", "validate"]
    params = parsed("validate", words[2:])
    models = params.get("models", (params.get("model"),))
    assert list(models) == [DIGITS.absolute()]
    assert dict(params["shapes"]) == dict(validation.shapes or {})
    for name in ("cores", "arch", "tolerance", "repeat", "keep_informs", "name"):
        assert params[name] == getattr(validation, name)
    assert (params["seed"] or 0, params["samples"] or 1) == (validation.seed, validation.samples)
    assert params["keep"] == tuple(validation.keep)
    assert params["max_cores"] == (None if validation.max_cores is None else str(validation.max_cores))
    for name in ("flow", "engine"):
        assert params[name] == getattr(run_options, name)
    assert (params["transport"] or "ipc") == run_options.transport
    assert params["specs"] == (run_options.chaos.specs if run_options.chaos else ())


@given(options, st.integers(1, 3), st.none() | st.just(0.5))
def test_the_command_of_an_image(run_options: RunOptions, repeat: int, tolerance: float | None) -> None:
    job = Job(out=Path("x"), options=run_options, repeat=repeat, tolerance=tolerance)
    params = parsed("launch", [str(DIGITS.parent), *launch_arguments(job)])
    assert (params["repeat"], params["tolerance"], params["flow"]) == (repeat, tolerance, run_options.flow)
    assert not params["model"] and not params["labels"]
    kept = replace(job, keep=("a",), model=DIGITS, labels="l", min_accuracy=0.5)
    params = parsed("launch", [str(DIGITS.parent), *launch_arguments(kept)])
    assert (params["keep"], params["model"]) == (("a",), DIGITS.absolute())
    assert (params["labels"], params["min_accuracy"]) == ("l", 0.5)


def test_a_command_without_an_option() -> None:
    words = ["emu", "validate", "--keep-artifacts", "x", "m", "--keep-artifacts=y", "--keep", "all"]
    assert without(words, "keep_artifacts") == ["emu", "validate", "m", "--keep", "all"]

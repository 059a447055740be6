"""Options of a command line that hold for all cases, and cases of networks there."""

from pathlib import Path

import click
import pytest

from launch.suites.command_line import cases_of_models, given_words, shared_words
from launch.suites.commands import MODEL, PATTERN, CaseCommand


@click.command()
@click.argument("models", nargs=-1)
@click.option("--cores", type=int)
@click.option("--shape", "shapes", multiple=True)
@click.option("--fast", is_flag=True)
@click.option("--check/--no-check")
@click.option("--deadline")
@click.option("--name")
@click.option("--keep-artifacts")
@click.option("--jobs")
@click.option("--json", "as_json", is_flag=True)
def validate(**options: object) -> None: ...


@click.command()
@click.argument("pattern")
@click.option("--cores", type=int)
def stress(**options: object) -> None: ...


COMMANDS = {
    MODEL: CaseCommand("validate", validate, lambda parameters: None, frozenset({"jobs"})),
    PATTERN: CaseCommand("stress", stress, lambda parameters: None),
}
TYPED = ["a.onnx", "--shape=x=1", "--cores", "-3", "b.onnx", "--fast", "--jobs", "3", "--shape", "y=2", "--json"]


def words(*arguments: str) -> dict[str, tuple[str, ...]]:
    return dict(given_words(COMMANDS[MODEL], click.Context(validate), arguments))


def test_options_as_they_were_typed() -> None:
    assert words(*TYPED) == {
        "shapes": ("--shape", "x=1", "--shape", "y=2"),
        "cores": ("--cores", "-3"),
        "fast": ("--fast",),
    }
    assert words("--no-check") == {"check": ("--no-check",)} and words("--check") == {"check": ("--check",)}


def test_the_deadline_is_of_all_and_a_name_of_one() -> None:
    assert words("--deadline", "3") == {}
    with pytest.raises(click.UsageError, match="--name is of one run"):
        words("--name", "x")


def test_a_pattern_gets_the_options_that_it_has() -> None:
    shared = shared_words(words(*TYPED), COMMANDS)
    assert set(shared[MODEL]) == {"shapes", "cores", "fast"} and shared[PATTERN] == {"cores": ("--cores", "-3")}


def test_cases_that_keep_artefacts_say_their_names() -> None:
    models = [Path("x/a.onnx"), Path("b.onnx"), Path("y/a.onnx"), Path("-c.onnx")]
    plain = cases_of_models(models, COMMANDS[MODEL], {})
    assert [case.name for case in plain] == ["x/a.onnx", "b", "y/a.onnx", "-c"]
    assert [case.repeat for case in plain][1::2] == [("validate", "b.onnx"), ("validate", "./-c.onnx")]
    kept = cases_of_models(models[1:2], COMMANDS[MODEL], words("--keep-artifacts", "d"))
    assert kept[0].repeat == ("validate", "b.onnx", "--keep-artifacts", "d", "--name", "b")

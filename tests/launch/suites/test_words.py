"""Values of suite files as words of a command line."""

from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.suites.words import below, words_of

HERE = Path("suites")


def option(*names: str, **settings: object) -> click.Option:
    return click.Option(list(names), **settings)


@pytest.mark.parametrize(
    ("made", "value", "words"),
    [
        (option("--cores", type=int), 16, ("--cores", "16")),
        (option("--cores", type=int), "16", ("--cores", "16")),
        (option("--tolerance", type=float), 1e-05, ("--tolerance", "1e-05")),
        (option("--sequential", is_flag=True), True, ("--sequential",)),
        (option("--sequential", is_flag=True), False, ()),
        (option("--check/--no-check"), False, ("--no-check",)),
        (option("-s", "--shape", "shapes", multiple=True), ["a=1", "b=2"], ("--shape", "a=1", "--shape", "b=2")),
        (option("--shape", multiple=True), "a=1", ("--shape", "a=1")),
        (option("--shape", multiple=True), [], ()),
        (option("--log-dir", type=click.Path()), "logs/", ("--log-dir", "suites/logs/")),
        (option("--log-dir", type=click.Path()), "/logs", ("--log-dir", "/logs")),
        (option("--arch"), "chip.toml", ("--arch", "suites/chip.toml")),
        (option("--arch"), "small", ("--arch", "small")),
        (option("--input", multiple=True), "x=data/x.npy", ("--input", "x=suites/data/x.npy")),
        (option("--input", multiple=True), "x=1.5,2", ("--input", "x=1.5,2")),
        (option("--keep", multiple=True), "/layer1/Relu", ("--keep", "/layer1/Relu")),
        (option("--keep", multiple=True), "model/dense/MatMul", ("--keep", "model/dense/MatMul")),
        (option("--chaos", multiple=True), "delay:0.1,2", ("--chaos", "delay:0.1,2")),
    ],
)
def test_words(made: click.Option, value: object, words: tuple[str, ...]) -> None:
    assert words_of(made, value, HERE) == words


@pytest.mark.parametrize(
    ("made", "value", "sentence"),
    [
        (option("--sequential", is_flag=True), "yes", "must be true or false, not 'yes'"),
        (option("--cores"), [1, 2], r"takes one value, not the list \[1, 2\]"),
        (option("--cores"), True, "must be a text or a number, not True"),
        (option("--cores"), {"a": 1}, "must be a text or a number, not {'a': 1}"),
        (option("--keep", multiple=True), ["a", ["b"]], r"must be a text or a number, not \['b'\]"),
        (option("--keep", multiple=True), "a\0", "must not hold a zero character"),
    ],
)
def test_values_that_are_none(made: click.Option, value: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        words_of(made, value, HERE)


def test_a_text_is_a_file_where_it_is_one(tmp_path: Path) -> None:
    for name in ("golden", "chip.v2"):
        (tmp_path / name).touch()
    (tmp_path / "small").mkdir()
    arch = option("--arch")
    assert words_of(arch, "chip.v2", tmp_path)[1] == str(tmp_path / "chip.v2")
    assert words_of(arch, "./golden", tmp_path)[1] == f"{tmp_path}/./golden"
    assert words_of(arch, "golden", tmp_path)[1] == "golden"  # a word, as presets are
    assert words_of(arch, "small", tmp_path)[1] == "small"
    assert words_of(arch, "chip.v2")[1] == "chip.v2"  # of the command line: where it is typed


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
def test_what_words_are_is_what_was_written(text: str) -> None:
    @click.command()
    @click.option("--keep", multiple=True)
    @click.argument("file")
    def command(keep: tuple[str, ...], file: str) -> None: ...

    words = [below(Path(), text), *words_of(option("--keep", multiple=True), [text, text])]
    parsed = command.make_context("command", words).params
    assert parsed["keep"] == (text, text)
    assert Path(parsed["file"]) == Path(text)

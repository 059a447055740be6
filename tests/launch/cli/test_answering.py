"""What an answer becomes: lines and tables, one JSON object, files that are written both or not at all."""

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from emu.errors import InputError
from launch.cli.answering import answers, json_wanted, unfinished
from launch.cli.group import LazyGroup
from launch.cli.root import COMMANDS
from launch.system.by_name import named
from launch.text.answer import Answer, Table, Verbatim, warnings

TABLE = Table("counts", ("core", "bytes"), [(0, 12), (1, 5)], "rr")


def run(make: Callable[[], Answer], *arguments: object, **files: object) -> Result:
    """The command that answers so, within a group as `emu` is one."""

    @click.command()
    @answers(**files)  # type: ignore[arg-type]
    def told() -> Answer:
        return make()

    group = LazyGroup(name="emu", sections={"Test": {"told": "unused:unused"}})
    group.commands["told"] = told
    return CliRunner().invoke(group, ["told", *map(str, arguments)])


def test_names_never_make_lines_or_reach_the_terminal() -> None:
    """A network may call its nodes as it likes."""
    name = "n\nPASS \x1b[32m"
    table = Table("t", ("node", "bytes"), [(name, 12)], "lr")
    text = run(lambda: Answer({}, [f"busiest: {name}", table])).stdout
    assert text.splitlines()[0] == r"busiest: n\nPASS \x1b[32m"
    assert text.splitlines()[-1].split() == [r"n\nPASS", r"\x1b[32m", "12"]


def test_every_command_answers() -> None:
    for path in COMMANDS.values():
        callback = named(path).callback
        while not hasattr(callback, "answers") and hasattr(callback, "__wrapped__"):
            callback = callback.__wrapped__
        assert hasattr(callback, "answers"), path


def test_people_read_the_parts_in_their_order() -> None:
    answer = Answer({"a": 1}, ["first", TABLE, Verbatim("  as it is\n"), "last"], warnings(["careful"]), "no", 3)
    result = run(lambda: answer)
    lines = result.stdout.splitlines()
    assert (lines[0], lines[1], lines[-2:]) == ("first", "counts", ["  as it is", "last"])
    assert [line.split() for line in lines[2:-2] if line.strip(" ─")] == [["core", "bytes"], ["0", "12"], ["1", "5"]]
    assert (result.stderr, result.exit_code) == ("warning: careful\nerror: no\n", 3)


def test_machines_read_one_object_and_parts_are_not_made() -> None:
    def parts():  # type: ignore[no-untyped-def]
        raise AssertionError("made for nobody")
        yield ""

    result = run(lambda: Answer({"json": json_wanted()}, parts(), warnings(["careful"]), exit_code=1), "--json")
    assert json.loads(result.stdout) == {"schema": 1, "json": True}
    assert (result.stderr, result.exit_code) == ("warning: careful\n", 1)


def with_files() -> Answer:
    return Answer({"a": 1}, ["line"], csv=lambda: "a\n1\n", draw=lambda kind: b"picture" + kind.encode())


@pytest.fixture(autouse=True)
def can_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("launch.text.picture.missing_packages", list)


def test_files_are_written_and_named(tmp_path: Path) -> None:
    table, plot = tmp_path / "t.csv", tmp_path / "p.svg"
    result = run(with_files, "--csv", table, "--plot", plot, csv="Write it.", plot=True)
    assert result.stdout.splitlines() == ["line", f"written: {table}", f"written: {plot}"]
    assert (table.read_text(), plot.read_text()) == ("a\n1\n", "picture.svg")
    told = json.loads(run(with_files, "--csv", table, "--json", csv="Write it.", plot=True).stdout)
    assert told == {"schema": 1, "a": 1, "table": str(table), "plot": None}


def test_both_files_or_none(tmp_path: Path) -> None:
    def draw(kind: str) -> bytes:
        raise InputError(f"no {kind} today")

    answer = Answer({}, csv=lambda: "a\n", draw=draw)
    result = run(lambda: answer, "--csv", tmp_path / "t.csv", "--plot", tmp_path / "p.svg", csv="Write it.", plot=True)
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, []) and "no .svg today" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--csv", "/"), "a directory"),
        (("--csv", "a", "--plot", "a"), "name the same file"),
        (("--plot", "a.gif"), "ends with .svg or .png"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_done(arguments: tuple[str, ...], said: str) -> None:
    def never() -> Answer:
        raise AssertionError("it began")

    result = run(never, *arguments, csv="Write it.", plot=True)
    assert result.exit_code == 2 and said in result.stderr


@pytest.mark.parametrize(("option", "file"), [("--csv", "t.csv"), ("--plot", "p.svg")])
def test_an_answer_without_such_a_file_says_so(tmp_path: Path, option: str, file: str) -> None:
    result = run(lambda: Answer({}, ["line"]), option, tmp_path / file, csv="Write it.", plot=True)
    assert result.exit_code == 2 and f"{option} has nothing to write here" in result.stderr
    assert (result.stdout, list(tmp_path.iterdir())) == ("", [])


def test_what_was_found_before_a_signal_is_told(tmp_path: Path) -> None:
    def stopped() -> Answer:
        end = KeyboardInterrupt()
        unfinished(end, with_files())
        raise end

    result = run(stopped, "--csv", tmp_path / "t.csv", csv="Write it.", plot=True)
    assert (result.exit_code, result.stderr) == (130, "error: interrupted\n")
    assert result.stdout.splitlines() == ["line", f"written: {tmp_path / 't.csv'}"]
    told = json.loads(run(stopped, "--json", csv="Write it.", plot=True).stdout)
    assert told["a"] == 1 and told["error"] == "interrupted" and told["exit_code"] == 130

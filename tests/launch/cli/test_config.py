"""`[tool.emu]` of pyproject.toml, and emu.toml: what they say is as if it had been typed, and who wins."""

import json
import os
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
from commands import DIGITS, Emu

from launch.cli import cli
from launch.cli.config import VARIABLE
from launch.cli.root import COMMANDS

# Texts of which every option takes one.
TEXTS = ("3", "0.5", "1,2", "a=b", "x=1,2", "1:2", "none", "rendezvous", "image", "1/2", "x.svg", "x.json", "own")
CONTEXT = click.Context(cli)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory in which configurations count."""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.delenv("EMU_CACHE", raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def parsed(name: str, *words: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a command is called with, and what it is told beside that."""
    arguments = [name, *words]
    with cli.make_context("emu", list(arguments)) as group:
        _, command, rest = cli.resolve_command(group, arguments)
        assert command is not None
        needed = [each for each in command.params if each.required]
        for each in needed:
            each.required = False
        try:
            with command.make_context(name, rest, parent=group) as ctx:
                told = {key: value for key, value in ctx.meta.items() if key.startswith("launch.campaign.")}
                return ctx.params, told
        finally:
            for each in needed:
                each.required = True


def value_of(option: click.Option, folder: Path) -> Any:
    """A value that the option takes, as TOML has it, and not its default."""
    if option.is_flag:
        return True
    (folder / "file").write_text("")
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    files = tuple(str(folder / name) for name in ("x.json", "file", "")) if isinstance(option.type, click.Path) else ()
    for text in files or (*reversed(choices), *TEXTS, str(folder / "file"), str(folder)):
        try:
            option.type.convert(text, option, click.Context(click.Command("x")))
        except (click.UsageError, ValueError, Exception):
            continue
        return [text, text] if option.multiple and option.name != "states" else text
    raise AssertionError(f"no text for {option.opts}")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_value_of_any_option_is_the_same_as_typed(place: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    plain, command = parsed(name), cli.get_command(CONTEXT, name)
    assert command is not None
    for option in command.params:
        if not isinstance(option, click.Option) or option.name in ("as_json", "debug"):
            continue
        value, key = value_of(option, place), option.opts[-1].removeprefix("--")
        values = value if isinstance(value, list) else [value]
        words = [option.opts[-1]] if value is True else [word for each in values for word in (option.opts[-1], each)]
        typed = parsed(name, *words)
        for head in ("", f"[{name}]\n"):
            (place / "emu.toml").write_text(f"{head}{key} = {json.dumps(value)}\n")
            assert parsed(name) == typed, option.opts
        with monkeypatch.context() as patch:
            patch.setenv(VARIABLE, "")
            assert parsed(name) == plain
        (place / "emu.toml").unlink()


def test_what_is_typed_wins_then_the_environment_then_the_command_then_all(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "[tool.emu]\nseed = 3\ncache = 'kept'\n[tool.emu.validate]\nseed = 5\nkeep = ['a', 'b']\n"
    (place.parent / "pyproject.toml").write_text(f"[project]\nname = 'x'\n{text}")
    params, _ = parsed("validate")
    assert (params["seed"], params["keep"], params["cache"]) == (5, ("a", "b"), place.parent / "kept")
    assert parsed("validate", "--seed", "7", "--keep", "c")[0] | {"models": ()} == params | {"seed": 7, "keep": ("c",)}
    assert parsed("export")[0]["seed"] == 3
    monkeypatch.setenv("EMU_CACHE", "there")
    assert parsed("validate")[0]["cache"] == Path("there")
    (place / "emu.toml").write_text("[export]\nseed = 9\n")  # nearer, so the other one does not count at all
    assert parsed("export")[0]["seed"] == 9 and parsed("validate")[0]["seed"] is None
    monkeypatch.setenv(VARIABLE, str(place.parent / "pyproject.toml"))
    assert parsed("export")[0]["seed"] == 3


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        (
            "emu.toml",
            "[compile]\ncoers = 3",
            "emu.toml, line 2: [compile] coers is no option of `emu compile`; did you mean",
        ),
        ("emu.toml", "\nacrh = 'puma'", "emu.toml, line 2: acrh is an option of no command; did you mean 'arch'?"),
        ("emu.toml", "[compil]\ncores = 3", "emu.toml, line 1: compil is no command; did you mean 'compile'?"),
        ("emu.toml", "[compile]\ncores = 'x'", "line 2: [compile] cores: 'x' is no whole number from 1 on"),
        (
            "emu.toml",
            "cores = 0",
            "cores: 0 is too small: give 1 or more (`emu compile` takes its own from [compile] cores)",
        ),
        ("emu.toml", "cores = true", "emu.toml, line 1: cores must be a text or a number, not True"),
        ("emu.toml", "cores = [1, 2]", "emu.toml, line 1: cores takes one value, not the list [1, 2]"),
        ("emu.toml", "report = 1", "emu.toml, line 1: report must be true or false, not 1"),
        ("emu.toml", "json = true", "emu.toml, line 1: json is for the command line: leave it out"),
        ("emu.toml", "cores = ", "emu.toml: not valid TOML"),
        ("pyproject.toml", "[tool]\nemu = 3", "pyproject.toml: tool.emu is no table: write [tool.emu]"),
        ("pyproject.toml", "[tool.emu.compile]\ncores = 0", "line 2: [tool.emu.compile] cores: 0 is too small"),
        ("emu.toml", "from = 'none.mlir'", "none.mlir' does not exist"),
    ],
)
def test_mistakes_name_file_table_and_key(emu: Emu, place: Path, file: str, text: str, sentence: str) -> None:
    (place / file).write_text(text)
    result = emu("compile", DIGITS, "-o", "out")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert sentence in result.stderr and str(place / file) in result.stderr
    assert not (place / "out").exists()


@pytest.mark.parametrize(
    ("text", "typed", "sentence"),
    [
        ("bind = '127.0.0.1'", (), "--bind 127.0.0.1 ({place}, line 1: bind) has no effect with --transport ipc"),
        (
            "[launch]\ntransport = 'ipc'",
            ("--bind", "127.0.0.1"),
            "--transport ipc ({place}, line 2: [launch] transport)",
        ),
        ("bind = '127.0.0.1'", ("--bind", "127.0.0.2"), "--bind 127.0.0.2 has no effect with --transport ipc: add"),
    ],
)
def test_a_refusal_names_the_place_of_what_nobody_typed(
    emu: Emu, place: Path, text: str, typed: tuple[str, ...], sentence: str
) -> None:
    (place / "emu.toml").write_text(text)
    assert emu("compile", DIGITS, "-o", "out").exit_code == 0
    result = emu("launch", "out", *typed)
    assert result.exit_code == 2 and sentence.format(place=place / "emu.toml") in result.stderr


def test_two_in_one_folder_are_refused_unless_one_is_of_others(emu: Emu, place: Path) -> None:
    (place / "emu.toml").write_text("")
    (place / "pyproject.toml").write_text("[project]\nname = 'emu tool'\n")
    assert emu("arch", "--list").exit_code == 0
    (place / "pyproject.toml").write_text("[tool.emu]\n")
    result = emu("arch", "--list")
    assert result.exit_code == 2 and f"{place} has emu.toml, and pyproject.toml with [tool.emu]" in result.stderr
    assert emu("--no-config", "arch", "--list").exit_code == 0


def test_a_file_of_others_above_is_refused(emu: Emu, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.parent / "emu.toml").write_text("seed = 3\n")
    monkeypatch.setattr("os.getuid", lambda: 12345)
    if (place.parent / "emu.toml").stat().st_uid:
        assert "is of another user, and above" in emu("arch", "--list").stderr
    monkeypatch.setenv(VARIABLE, "nowhere.toml")
    assert "EMU_CONFIG='nowhere.toml' is no file" in emu("arch", "--list").stderr


def test_json_tells_the_file_if_a_value_is_of_it(emu: Emu, place: Path) -> None:
    (place / "emu.toml").write_text("cores = 2\n")
    assert json.loads(emu("doctor", "--json").stdout)["config"] == str(place / "emu.toml")
    assert "config" not in json.loads(emu("doctor", "--cores", 2, "--json").stdout)
    assert "config" not in json.loads(emu("arch", "--list", "--json").stdout)
    assert os.environ.get(VARIABLE) is None


def test_what_is_recorded_repeats_without_the_file(emu: Emu, place: Path) -> None:
    (place / "emu.toml").write_text("arch = 'small'\n[validate]\ncores = 4\nsequential = true\nkeep = ['all']\n")
    told = json.loads(emu("validate", DIGITS, "--json").stdout)
    command = told["run"]["command"]
    assert shlex.join(command).startswith("validate --arch small --cores 4 --keep all --sequential ")
    again = json.loads(emu("--no-config", *command).stdout)
    assert [again[key] for key in ("cores", "verdict")] == [told[key] for key in ("cores", "verdict")]
    listed = emu("validate", DIGITS, "-k", "digits", "--list", "--json")
    (case,) = json.loads(listed.stdout)["cases"]
    assert shlex.join(case["command"]).endswith("--arch small --cores 4 --keep all --sequential")


def test_a_suite_file_wins_over_the_configuration(emu: Emu, place: Path) -> None:
    (place / "emu.toml").write_text("cores = 4\nseed = 3\n[validate]\nsamples = 2\n[stress]\ncount = 7\n")
    (place / "suite.toml").write_text(
        f"[defaults]\nseed = 5\n[[case]]\nmodel = {str(DIGITS)!r}\ncores = 8\n[[case]]\npattern = 'ring'\n"
    )
    told = json.loads(emu("validate", "--suite", "suite.toml", "--list", "--samples", 6, "--json").stdout)
    commands = [shlex.join(case["command"][2:]) for case in told["cases"]]
    assert commands == ["--cores 8 --seed 5 --samples 6", "--cores 4 --seed 5 --count 7"]

"""The command line as a whole: help, laziness, errors as sentences, exit codes."""

import json
import os
import platform
import subprocess
import sys
from keyword import iskeyword
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import emu
from emu.errors import InputError
from emu.image.version import VERSION
from launch.cli import LazyGroup, cli
from launch.cli.group import debug_option
from launch.cli.root import COMMANDS


def raising(error: BaseException) -> LazyGroup:
    """A group with one command, `fail`, that raises `error`."""

    @click.command()
    def fail() -> None:
        raise error

    group = LazyGroup(name="emu", sections={"Test": {"fail": "unused:unused"}})
    group.params.append(debug_option())
    fail.params.append(debug_option())
    group.commands["fail"] = fail
    return group


def test_every_option_says_what_it_does() -> None:
    context = click.Context(cli)
    silent = [
        (name, option.name)
        for name in COMMANDS
        for option in (cli.get_command(context, name) or cli).params
        if isinstance(option, click.Option) and not option.help
    ]
    assert not silent


class OtherExit(InputError):
    exit_code = 5


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (InputError("out/x has no manifest"), 2, "error: out/x has no manifest"),
        (OtherExit("core 3 died"), 5, "error: core 3 died"),
        (KeyboardInterrupt(), 130, "error: interrupted"),
        (FileNotFoundError(2, "No such file or directory", "a.toml"), 2, "error: No such file or directory: a.toml"),
        (ZeroDivisionError("division\nby zero"), 70, "error: internal error (ZeroDivisionError: division): run again"),
        (MemoryError(), 2, "error: out of memory"),
        (BrokenPipeError(32, "Broken pipe"), 2, "error: Broken pipe"),
    ],
)
def test_errors_are_one_sentence(error: BaseException, code: int, words: str) -> None:
    result = CliRunner().invoke(raising(error), ["fail"])
    assert result.exit_code == code
    assert result.stderr.startswith(words)
    assert result.stderr.count("\n") == 1
    assert not result.stdout


@pytest.mark.parametrize("arguments", [["--debug", "fail"], ["fail", "--debug"]])
def test_debug_shows_the_traceback(arguments: list[str]) -> None:
    result = CliRunner().invoke(raising(InputError("bad")), arguments)
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert result.stderr.endswith("error: bad\n")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["launch", "--json"], 2, "Missing argument 'OUT'"),
        (["--no", "launch", "--json"], 2, "No such option"),
        (["launch", ".", "--json"], 2, "is no image"),
    ],
)
def test_json_tells_errors_too(arguments: list[str], code: int, words: str) -> None:
    result = CliRunner().invoke(cli, arguments)
    told = json.loads(result.stdout)
    assert (result.exit_code, told["exit_code"]) == (code, code)
    assert words in told["error"]
    assert result.stderr == f"error: {told['error']}\n"


def test_a_closed_pipe_is_silent() -> None:
    code = (
        "import click\nfrom launch.cli import cli, main\n"
        "@click.command()\ndef talk():\n    [click.echo('x' * 1000) for _ in range(1000)]\n"
        "cli.table['talk'], cli.commands['talk'] = '', talk\nmain(['talk'])"
    )
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-c", code], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: {"reram-emu": "1.2.3"}.get(name, f"9.{len(name)}"))
    result = CliRunner().invoke(cli, ["--version"])
    first, second = result.stdout.splitlines()
    assert (result.exit_code, first) == (0, "emu, version 1.2.3")
    assert second.startswith(f"image format {VERSION}, Python {platform.python_version()}, numpy 9.5, ")
    assert "onnxruntime 9.11" in second
    assert emu.__version__ == "1.2.3"


@pytest.mark.parametrize("package", ["emu", "launch"])
def test_python_m_is_the_command(package: str) -> None:
    done = subprocess.run([sys.executable, "-m", package, "comple"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: there is no command 'comple'; did you mean 'compile'? see emu --help\n"


def test_every_command_has_its_own_file() -> None:
    folder = Path(cli.callback.__code__.co_filename).parent
    files = {f"{name}_.py" if iskeyword(name) else f"{name}.py" for name in COMMANDS}
    assert files <= {file.name for file in folder.iterdir()}

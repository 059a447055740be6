"""Every command of the table as a process: how it begins, refuses, and meets a disk that is full."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import DIGITS
from emu_processes import EmuProcesses

from launch.cli.root import COMMANDS

HEAVY = ("numpy", "onnx", "xdsl", "zmq", "onnxruntime", "rich", "msgpack")
IMPORTED = """
import sys
from launch.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    print(*set({heavy}) & set(sys.modules), file=sys.stderr)
    raise
"""
# What a command is given to do something: IMAGE is a compiled directory. Without a row here it shows its help.
WORDS = {
    "launch": ["IMAGE", "--sequential"],
    "check": ["IMAGE"],
    "info": ["IMAGE"],
    "export": ["--to", "asm", "IMAGE"],
    "import": ["--seal", "IMAGE"],
    "doctor": ["--cores", "2"],
    "bench": ["--list"],
    "stress": ["--list"],
    "compile": [str(DIGITS), "--until", "onnx"],
    "opt": ["--list-passes"],
}
ALL = pytest.mark.parametrize("command", COMMANDS)


@pytest.mark.few(8)
@pytest.mark.parametrize("words", [["--version"], ["--help"], *([name, "--help"] for name in COMMANDS)], ids=" ".join)
def test_help_has_an_example_and_imports_nothing_heavy(words: list[str]) -> None:
    """In a fresh interpreter."""
    code = IMPORTED.format(heavy=set(HEAVY))
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "\n"), done.stderr
    if words != ["--version"]:
        example = done.stdout.partition("Example")[2]
        assert "--debug" in done.stdout and " emu " in example


@ALL
def test_a_refusal(emu_processes: EmuProcesses, command: str) -> None:
    done = emu_processes.run(command, "--no-such-option", "--json")
    assert done.returncode == 2 and done.stdout.count("\n") == 1, done
    told = json.loads(done.stdout)
    assert told["exit_code"] == 2 and "--no-such-option" in told["error"]
    assert done.stderr == f"error: {told['error']}\n"


@ALL
def test_a_full_disk_is_named(emu_processes: EmuProcesses, command: str, own_image: Path) -> None:
    words = [own_image if word == "IMAGE" else word for word in WORDS.get(command, ["--help"])]
    for more in ([],) if "--help" in words else ([], ["--json"]):
        with Path("/dev/full").open("w") as full:
            done = emu_processes.run(command, *words, *more, stdout=full)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
        assert done.stderr.startswith("error: standard output cannot be written: No space left on device")

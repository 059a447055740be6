"""What commands write, through the command line: targets that are no files, links, limits, kills and signals."""

import os
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import DIGITS, SAMPLES, Emu
from emu_processes import EmuProcesses

from emu.image.npz import read_npz
from emu.image.reader import open_image

ROOT = Path(__file__).parents[3]
PROGRAM = """
import os, signal, sys
from emu.output.calls import CALLS

def disturb(name, condition, number):
    original = getattr(CALLS, name)

    def call(*arguments, **options):
        if condition(*arguments):
            os.kill(os.getpid(), number)
        return original(*arguments, **options)

    setattr(CALLS, name, call)
"""
Start = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def start(emu_processes: EmuProcesses) -> Start:
    """Runs `emu` in a process of its own, with a disturbance."""

    def run(*arguments: object, disturbance: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
        return emu_processes.run(*arguments, before=PROGRAM + disturbance, **options)

    return run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def save(emu: Emu, image: Path, out: object):
    return emu("launch", image, "--sequential", "--golden", "none", "--save", out)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "place"
    place.mkdir()
    return place


def test_save_replaces_no_device(emu: Emu, digits_image: Path, place: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root makes device files")
    os.mknod(place / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    (place / "link").symlink_to("null")
    for name in ("null", "link"):
        result = save(emu, digits_image, place / name)
        sentence = f"error: {place / name} is a device, which is not replaced: name a file\n"
        assert (result.exit_code, result.stderr) == (2, sentence)
    assert stat.S_ISCHR((place / "null").stat().st_mode) and names(place) == ["link", "null"]


def test_save_replaces_no_pipe_and_no_stream(emu: Emu, digits_image: Path, place: Path) -> None:
    os.mkfifo(place / "pipe")
    result = save(emu, digits_image, place / "pipe")
    assert result.exit_code == 2 and "pipe is a pipe, which is not replaced: name a file" in result.stderr
    assert (place / "pipe").is_fifo() and names(place) == ["pipe"]
    result = save(emu, digits_image, "/dev/stdout")
    assert result.exit_code == 2 and "/dev/stdout is an open stream" in result.stderr


@pytest.mark.parametrize("name", ["x.npz.partial"])
def test_a_strange_side_file_is_refused_without_waiting(emu: Emu, digits_image: Path, place: Path, name: str) -> None:
    os.mkfifo(place / name)
    result = save(emu, digits_image, place / "x.npz")
    assert result.exit_code == 2
    assert result.stderr == f"error: {place / name} is a pipe, but finished samples are kept there: remove it\n"
    assert names(place) == [name]


@pytest.mark.parametrize("dangling", [False, True])
def test_save_follows_a_link(emu: Emu, digits_image: Path, place: Path, dangling: bool) -> None:
    (place / "deep").mkdir()
    if not dangling:
        (place / "deep" / "real.npz").write_text("older")
    (place / "x.npz").symlink_to("deep/real.npz")
    result = save(emu, digits_image, place / "x.npz")
    assert result.exit_code == 0 and (place / "x.npz").is_symlink()
    assert "out0" in read_npz(place / "deep" / "real.npz") and names(place / "deep") == ["real.npz"]


@pytest.mark.parametrize("name", ["x.npz.writing", ".x.npz.new", "x.npz.partial"])
def test_save_writes_through_no_other_link(emu: Emu, digits_image: Path, place: Path, name: str) -> None:
    (place / "precious").write_text("mine")
    (place / name).symlink_to("precious")
    result = save(emu, digits_image, place / "x.npz")
    assert result.exit_code == (2 if name == "x.npz.partial" else 0)
    assert (place / "precious").read_text() == "mine" and (place / name).is_symlink()


def test_a_second_name_of_the_side_file_costs_nothing(emu: Emu, digits_image: Path, place: Path) -> None:
    """As a kill could leave it when the side file was made by linking."""
    whole, out = place / "whole.npz", place / "out.npz"
    options = ["launch", digits_image, "--input", SAMPLES, "--golden", "none", "--save"]
    assert emu(*options, whole, "--sequential").exit_code == 0
    assert emu(*options, out, "--chaos", "kill:0@300,KILL").exit_code == 5
    os.link(place / "out.npz.partial", place / "out.npz.writing")
    before = (place / "out.npz.writing").read_bytes()
    assert emu(*options, out, "--resume", "--sequential").exit_code == 0
    assert out.read_bytes() == whole.read_bytes() and (place / "out.npz.writing").read_bytes() == before
    assert names(place) == ["out.npz", "out.npz.writing", "whole.npz"]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("call", "number"),
    [
        pytest.param(call, number, marks=[] if which in (place, 2) else pytest.mark.full)
        for place, call in enumerate(("write", "fsync", "rename"))
        for which, number in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGKILL))
    ],
)
def test_a_signal_while_the_file_is_completed(
    start: Start, emu: Emu, digits_image: Path, place: Path, number: signal.Signals, call: str
) -> None:
    out = place / "out.npz"
    options = ["launch", digits_image, "--sequential", "--golden", "none", "--save", out]
    there = "[name for name in os.listdir(sys.argv[-1].rpartition('/')[0]) if 'unfinished' in name]"
    done = start(*options, disturbance=f"disturb({call!r}, lambda *_: {there}, {int(number)})")
    code = -number if number == signal.SIGKILL else 128 + number
    assert done.returncode == code and "Traceback" not in done.stderr
    if number == signal.SIGKILL:
        assert len(names(place)) == 2
    else:
        assert names(place) == ["out.npz.partial"] and "continue with --resume" in done.stderr
    result = emu(*options, "--resume")
    assert result.exit_code == 0 and names(place) == ["out.npz"]
    assert ("left over from an interrupted run" in result.stderr) == (number == signal.SIGKILL)
    assert save(emu, digits_image, place / "whole.npz").exit_code == 0
    assert out.read_bytes() == (place / "whole.npz").read_bytes()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("number", "old"),
    [
        (signal.SIGTERM, True),
        (signal.SIGKILL, False),
        (signal.SIGKILL, True),
        pytest.param(signal.SIGTERM, False, marks=pytest.mark.full),
        pytest.param(signal.SIGINT, False, marks=pytest.mark.full),
        pytest.param(signal.SIGINT, True, marks=pytest.mark.full),
    ],
)
def test_a_killed_compilation_is_cleaned_up_by_the_next(
    start: Start, emu: Emu, place: Path, number: signal.Signals, old: bool
) -> None:
    options = ["compile", DIGITS, "--cores", 16, "--golden", "none", "-o", place / "out"]
    if old:
        assert emu(*options, "--placement", "pack").exit_code == 0
    half = "lambda path, *_: str(path).endswith('.xbar') and 'unfinished' in str(path)"
    done = start(*options, disturbance=f"disturb('open', {half}, {int(number)})")
    assert done.returncode == (-number if number == signal.SIGKILL else 128 + number)
    left = [name for name in names(place) if name != "out"]
    assert len(left) == (number == signal.SIGKILL) and (place / "out").exists() == old
    if old:
        open_image(place / "out")
    result = emu(*options)
    assert result.exit_code == 0 and names(place) == ["out"]
    note = "".join(f"note: {place}: removed {name}, left over from an interrupted run\n" for name in left)
    assert result.stderr == note


@pytest.mark.few(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_validation_is_cleaned_up_by_the_next(
    start: Start, tmp_path: Path, place: Path, number: signal.Signals
) -> None:
    options = ["validate", DIGITS, "--cores", 16, "--sequential"]
    environment = {"TMPDIR": str(place)}
    half = "lambda path, *_: str(path).endswith('.xbar')"
    done = start(*options, disturbance=f"disturb('open', {half}, {int(number)})", env=environment)
    assert done.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert len(names(place)) == (number == signal.SIGKILL)
    done = start(*options, env=environment)
    assert done.returncode == 0 and names(place) == []
    assert ("left over from an interrupted run" in done.stderr) == (number == signal.SIGKILL)


def test_the_zoo_writes_pipes_in_place(emu: Emu, emu_processes: EmuProcesses, place: Path) -> None:
    os.mkfifo(place / "pipe")
    with emu_processes.start("export", "lenet5", "-o", place / "pipe", stdout=subprocess.DEVNULL) as writer:
        content = (place / "pipe").read_bytes()
        assert writer.wait() == 0 and (place / "pipe").is_fifo()
    assert emu("export", "lenet5", "-o", place / "file").exit_code == 0
    assert content == (place / "file").read_bytes()


def test_dumps_that_cannot_be_written(emu: Emu, place: Path) -> None:
    options = ["compile", DIGITS, "--until", "onnx", "--dump"]
    for folder, words in (
        ("/proc/x", "error: /proc/x: cannot be written: No such file or directory; nothing can be made there"),
        (place / ("n" * 256), "File name too long; name it shorter"),
    ):
        result = emu(*options, folder)
        assert result.exit_code == 2 and words in result.stderr and result.stderr.count("\n") == 1
    os.mkfifo(place / "00-import.mlir")
    result = emu(*options, place)
    assert result.exit_code == 2 and "00-import.mlir is a pipe, which is not replaced" in result.stderr


@pytest.mark.parametrize("command", [["bench", "--all"], ["stress", "--faults"]])
def test_pages_are_files(emu: Emu, place: Path, command: list[str]) -> None:
    os.mkfifo(place / "page")
    (place / "bytes").write_bytes(b"\xff\xfe\xff")
    for name, words in (("page", " is a pipe, which is not replaced"), ("bytes", ", line 1: not UTF-8 text")):
        result = emu(*command, "--write", place / name)
        assert result.exit_code == 2 and f"{place / name}{words}" in result.stderr
    assert names(place) == ["bytes", "page"]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("limit", "arguments", "words"),
    [
        (2048, ["export", "lenet5", "-o", "{place}/x.onnx"], "x.onnx: cannot be written: File too large"),
        (2048, ["compile", DIGITS, "-o", "{place}/x"], "/x/core_0000.prog: cannot be written: File too large"),
        (
            2048,
            ["compile", DIGITS, "--until", "spat", "--dump", "{place}/ir"],
            "00-import.mlir: cannot be written: File",
        ),
        (2048, ["stress", "ring", "--cores", "4"], "/image/core_0000.prog: cannot be written: File too large"),
        (
            2048,
            ["export", "--to", "asm", "{image}", "-o", "{place}/text"],
            "/text/chip.asm: cannot be written: File too large",
        ),
        (64, ["launch", "{image}", "--golden", "none", "--save", "{place}/x.npz"], "x.npz.partial: cannot be written"),
        (
            64,
            ["launch", "{image}", "--sequential", "--input", SAMPLES, "--model", DIGITS],
            "in0.npy: cannot",
        ),
        (64, ["launch", "{image}", "--golden", "none"], "error: no shared memory of "),
    ],
)
def test_a_limit_of_file_sizes_is_named(
    start: Start, digits_image: Path, place: Path, limit: int, arguments: list[str], words: str
) -> None:
    filled = [str(argument).format(place=place, image=digits_image) for argument in arguments]
    done = start(*filled, disturbance=f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit},) * 2)")
    assert done.returncode == 2 and words in done.stderr and "ulimit -f" in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1
    assert [path for path in place.rglob("*") if path.is_file()] == []

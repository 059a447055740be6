"""`emu doctor --clean`: what is removed is ours, and of nobody who lives."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import onnx
import pytest
from commands import Emu
from dying import run_dying
from image_links import content, digest_of, hosts, sent, written

from emu.output.calls import CALLS
from emu.output.scratch import ScratchFolder
from emu.output.temporary import MARK
from emu.output.whole_file import WholeFile
from emu.output.whole_folder import WholeFolder
from launch.images.cache import ImageCache, compile_or_find
from launch.images.cache_directory import MARKER, TAG, entries
from launch.machines.content.store import ContentStore
from launch.zoo import build

OPTIONS = {"arch": "small", "cores": 16, "golden": "none"}


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Directories of this test's own for everything temporary."""
    found = {name: tmp_path / name for name in ("TMPDIR", "XDG_RUNTIME_DIR")}
    for name, path in found.items():
        path.mkdir()
        monkeypatch.setenv(name, str(path))
    return found


def killed(action) -> None:
    """Run `action` in a process that is killed inside of it."""

    def act(_):
        with action() as made:
            if hasattr(made, "write"):
                made.write(bytes(1000))
                made.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    assert run_dying(act, None).killed


def test_what_killed_processes_left_is_removed(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / ".notes").write_text("mine")
    (out / f".x{MARK}notahexnumber123").write_text("mine")
    killed(lambda: WholeFile(out / "a.npz"))
    killed(lambda: WholeFolder(out / "lenet"))
    with WholeFolder(out / "living"):
        before = sorted(path.name for path in out.iterdir())
        assert len(before) == 5
        dry = emu("doctor", "--clean", out, "--dry-run")
        assert dry.exit_code == 0 and dry.stdout.count("would have removed ") == 2
        assert sorted(path.name for path in out.iterdir()) == before
        done = emu("doctor", "--clean", out)
        assert done.stdout == dry.stdout.replace("would have ", "")
        assert f"{out}/.a.npz{MARK}" in done.stdout and done.stdout.endswith("freed 1000 B\n")
        assert len(list(out.iterdir())) == 3
    assert emu("doctor", "--clean", out).stdout == f"nothing to remove in {out}\n"
    assert sorted(path.name for path in out.iterdir()) == [".notes", f".x{MARK}notahexnumber123"]


def test_temporary_directories_and_those_of_sockets(emu: Emu, places: dict[str, Path]) -> None:
    killed(lambda: ScratchFolder("validate"))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead = places["XDG_RUNTIME_DIR"] / f"emu-run-{gone.pid}-0123456789abcdef"
    living = places["XDG_RUNTIME_DIR"] / f"emu-run-{os.getpid()}-0123456789abcdef"
    mine = places["TMPDIR"] / "emu-notes"
    for path in (dead, living, mine):
        path.mkdir()
    with ScratchFolder("golden") as used:
        found = json.loads(emu("doctor", "--clean", "--json").stdout)
        assert {Path(each["path"]).parent for each in found["removed"]} >= set(places.values())
        assert str(dead) in [each["path"] for each in found["removed"]]
        assert used.exists() and living.exists() and mine.exists() and not dead.exists()
    assert sorted(path.name for path in places["TMPDIR"].iterdir()) == ["emu-notes"]


def test_what_was_moved_aside_comes_back(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "image"
    out.mkdir()
    (out / "old").write_text("x")

    def replace(_):
        CALLS.exchange = lambda *_: (_ for _ in ()).throw(OSError(38, "no"))
        rename = CALLS.rename

        def first_only(*names):
            rename(*names)
            os.kill(os.getpid(), signal.SIGKILL)

        with WholeFolder(out) as folder:
            CALLS.rename = first_only
            folder.put_in_place()

    assert run_dying(replace, None).killed
    assert not out.exists()
    done = emu("doctor", "--clean", tmp_path)
    assert f"put back {out}, which an interrupted run had moved aside\n" in done.stdout
    assert (out / "old").read_text() == "x"
    assert not [path for path in tmp_path.iterdir() if MARK in path.name]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with two entries, one of which was used 3 days ago."""
    for name in ("mlp3", "lenet5"):
        onnx.save(build(name), tmp_path / f"{name}.onnx")
        with ImageCache(tmp_path / "cache") as made:
            entry = compile_or_find(made, tmp_path / f"{name}.onnx", tmp_path / "x", quiet=True, **OPTIONS).out.parent
    before = time.time() - 3 * 24 * 3600
    os.utime(entry / "entry.json", (before, before))
    return tmp_path / "cache"


def test_entries_of_a_cache(emu: Emu, cache: Path) -> None:
    (cache / "notes.txt").write_text("mine")
    foreign = cache / ("0" * 64)
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("mine")
    assert emu("doctor", "--clean", "--cache", cache, "--older-than", "4").stdout == f"nothing to remove in {cache}\n"
    old = json.loads(emu("doctor", "--clean", "--cache", cache, "--older-than", "2.5", "--json").stdout)
    assert len(old["removed"]) == 1 and old["bytes"] == old["removed"][0]["bytes"] > 10_000 and old["kept"] == 0
    (left,) = entries(cache)
    dry = emu("doctor", "--clean", "--cache", cache, "--dry-run").stdout
    assert dry.startswith(f"would have removed {left}: a compiled image, ") and left.exists()
    assert emu("doctor", "--clean", "--cache", cache).exit_code == 0
    assert sorted(path.name for path in cache.iterdir()) == sorted([TAG, MARKER, "notes.txt", "0" * 64])
    assert (foreign / "thesis.tex").exists()


def test_files_of_images_that_came_from_other_machines(emu: Emu, tmp_path: Path) -> None:
    directory = tmp_path / "files"
    with ExitStack() as stack:
        (host,) = hosts(stack, "h1", store=partial(ContentStore, directory))
        sent(host, tmp_path / "a", written(tmp_path / "a", {"x": b"abc"}))
        host.receiver.close()
        place = sent(host, tmp_path / "b", written(tmp_path / "b", {"x": b"abcde", "y": b"y"})).place
        os.utime(directory / digest_of(b"y").sha256, (0, 0))
        dry = emu("doctor", "--clean", "--cache", directory, "--dry-run").stdout
        assert dry.splitlines()[1:] == ["would have freed 3 B", "kept 2 in use"]
        assert emu("doctor", "--clean", "--cache", directory, "--older-than", "1").stdout.endswith("kept 1 in use\n")
        assert emu("doctor", "--clean", "--cache", directory).stdout == (
            f"removed {directory / digest_of(b'abc').sha256}: a file of an image, 3 B\nfreed 3 B\nkept 2 in use\n"
        )
        assert content(place) == {"x": b"abcde", "y": b"y"}
    assert emu("doctor", "--clean", "--cache", directory).stdout.endswith("\nfreed 6 B\n")
    assert sorted(path.name for path in directory.iterdir()) == sorted([TAG, MARKER])


def test_entries_in_use_stay(emu: Emu, cache: Path, tmp_path: Path) -> None:
    with ImageCache(cache) as using:
        used = compile_or_find(using, tmp_path / "mlp3.onnx", tmp_path / "x", quiet=True, **OPTIONS)
        assert used.found
        assert emu("doctor", "--clean", "--cache", cache).stdout.endswith("kept 1 in use\n")
        assert entries(cache) == [used.out.parent]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--older-than", "3"], "--older-than counts the days of a cache: name it with --cache DIR"),
        (["--cache", ".", "."], "--cache cleans that cache alone: leave DIR out"),
        (["--cache", "."], ". is no cache of emu: nothing is removed"),
        (["--cache", "nowhere"], "'nowhere' does not exist"),
        (["--cache", ".", "--older-than", "-1"], "-1 is too small: give 0 or more"),
    ],
)
def test_wrong_use(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments, sentence: str) -> None:
    monkeypatch.chdir(tmp_path)
    result = emu("doctor", "--clean", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr and result.stderr.count("\n") == 1


def test_the_environment_names_no_cache_to_remove(emu: Emu, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMU_CACHE", str(cache))
    emu("doctor", "--clean")
    assert len(entries(cache)) == 2

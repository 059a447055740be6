"""A folder is written whole or not at all; what was there stays until then."""

import errno
import os
from pathlib import Path

import pytest
from dying import deaths, every_call

from emu.errors import InputError
from emu.output.calls import CALLS
from emu.output.folder import make_folder
from emu.output.scratch import ScratchFolder
from emu.output.whole_folder import WholeFolder

pytestmark = pytest.mark.early
OLD = {"a": b"old", "c": b"older"}
NEW = {"a": b"new" * 50_000, "b": b"newer"}


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else None


def fill(folder, files):
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def write(path, files=NEW):
    with WholeFolder(path) as folder:
        for name, data in files.items():
            with folder.file(name) as file:
                file.write(data)
        folder.put_in_place()


def no_exchange(*_):
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


@pytest.fixture
def place(tmp_path):
    """An empty folder with nothing but what the test writes."""
    place = tmp_path / "place"
    place.mkdir()
    return place


def emptied(place):
    for path in place.iterdir():
        for file in path.iterdir():
            file.unlink()
        path.rmdir()


@pytest.mark.parametrize("old", [None, {}, OLD])
def test_a_folder_takes_the_place_of_what_was_there(place, old):
    if old is not None:
        fill(place / "x", old)
    write(place / "x")
    assert content(place / "x") == NEW and [path.name for path in place.iterdir()] == ["x"]


def test_folders_above_are_made(place):
    write(place / "y" / "z" / "x")
    assert content(place / "y" / "z" / "x") == NEW


@pytest.mark.few(2)
@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("old", [None, {}, OLD])
def test_a_kill_at_every_call(place, old, torn, capsys):
    """The old content or the new one, whole, and the next one that writes removes what is left."""
    left = 0

    def prepare():
        emptied(place)
        if old is not None:
            fill(place / "x", old)

    for _ in deaths(prepare, lambda _: write(place / "x"), torn):
        assert content(place / "x") in (old, NEW)
        remains = len(list(place.glob(".x*")))
        left += remains
        capsys.readouterr()
        write(place / "x", {"d": b"again"})
        assert content(place / "x") == {"d": b"again"} and [path.name for path in place.iterdir()] == ["x"]
        assert capsys.readouterr().err.count("left over from an interrupted run") == remains
    assert left > 5


def test_a_kill_at_every_call_where_folders_cannot_be_exchanged(place, monkeypatch):
    """Between two steps the old content may be aside: then the next one that writes puts it back."""
    monkeypatch.setattr("emu.output.calls.SystemCalls.exchange", staticmethod(no_exchange))
    aside = 0

    def prepare():
        emptied(place)
        fill(place / "x", OLD)

    for _ in deaths(prepare, lambda _: write(place / "x")):
        if not (place / "x").exists():
            aside += 1
            with WholeFolder(place / "x"):  # and gives up
                pass
            assert content(place / "x") == OLD
        assert content(place / "x") in (OLD, NEW)
        write(place / "x", {"d": b"again"})
        assert content(place / "x") == {"d": b"again"} and [path.name for path in place.iterdir()] == ["x"]
    assert aside > 0


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("old", [None, OLD])
def test_an_error_at_every_call(place, old, exchange, monkeypatch, capsys):
    if not exchange:
        monkeypatch.setattr("emu.output.calls.SystemCalls.exchange", staticmethod(no_exchange))
    at, told = 0, 0
    while True:
        emptied(place)
        if old is not None:
            fill(place / "x", old)
        calls, failed = 0, ""

        def before(name, _, at=at):
            nonlocal calls, failed
            calls += 1
            if calls - 1 == at:
                failed = name
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        try:
            with every_call(before):
                write(place / "x")
        except InputError as error:
            told += 1
            assert str(error).startswith(f"{place / 'x'}") and "No space left on device; free some" in str(error)
        assert content(place / "x") in (old, NEW)
        if failed not in ("unlink", "rmdir", "listdir"):
            assert not list(place.glob(".x*"))
        if calls <= at:
            break
        at += 1
    assert told > 8


def test_what_a_living_process_writes_is_left_alone(place, capsys):
    with WholeFolder(place / "x") as first:
        with first.file("a") as file:
            file.write(b"first")
        write(place / "x")
        assert content(place / "x") == NEW
        first.put_in_place()
    assert content(place / "x") == {"a": b"first"} and [path.name for path in place.iterdir()] == ["x"]
    assert capsys.readouterr().err == ""


def test_refusals(place, monkeypatch):
    (place / "file").touch()
    (place / "loop").symlink_to("loop")
    os.mkfifo(place / "pipe")
    monkeypatch.chdir(place)
    for path, words in (
        (place / "file", "is a file: name a directory"),
        (place / "pipe", "is a pipe: name a directory"),
        (place, "is the current directory, which is not replaced: name another one"),
        (place / "file" / "x", "Not a directory"),
        (place / "loop" / "x", "Too many levels of symbolic links"),
        (place / ("n" * 256), "File name too long; name it shorter"),
    ):
        with pytest.raises(InputError, match=words):
            WholeFolder(path)
    with pytest.raises(InputError, match="/proc/x: cannot be written: No such file or directory; nothing can be made"):
        make_folder(type(place)("/proc/x"))
    assert sorted(path.name for path in place.iterdir()) == ["file", "loop", "pipe"]


def test_a_link_to_a_folder_stays(place):
    fill(place / "real", OLD)
    (place / "link").symlink_to("real")
    write(place / "link")
    assert (place / "link").is_symlink() and content(place / "real") == NEW


def test_scratch_folders_of_dead_processes_are_removed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    def use(_):
        with ScratchFolder("test") as folder:
            assert (folder.stat().st_mode & 0o777) == 0o700 and folder.name.startswith("emu-test-")
            CALLS.mkdir(folder / "deep", 0o777)

    left = 0
    for _ in deaths(lambda: None, use):
        remains = len(list(tmp_path.iterdir()))
        left += remains
        capsys.readouterr()
        with ScratchFolder("other"), ScratchFolder("test") as living, ScratchFolder("test"):
            assert living.exists() and len(list(tmp_path.iterdir())) == 3
        assert not list(tmp_path.iterdir())
        assert capsys.readouterr().err.count("left over") == remains
    assert left > 1


def test_no_place_for_scratch_folders(monkeypatch):
    monkeypatch.setattr("emu.output.scratch.scratch_place", lambda: Path("/proc"))
    with pytest.raises(InputError, match=r"no temporary directory can be made: .*; name another place with TMPDIR"):
        ScratchFolder("test").__enter__()

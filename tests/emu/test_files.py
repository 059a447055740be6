"""Files are read when they are regular, of a known size within a limit; everything else is a sentence, at once."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from emu.errors import InputError, ProgramError
from emu.files import map_file, open_file, read_bytes, read_text

READERS: list[Callable[[Path], object]] = [
    lambda path: open_file(path, ProgramError).close(),
    lambda path: read_bytes(path, 1 << 20, ProgramError),
    lambda path: read_text(path, 1 << 20, ProgramError),
    lambda path: map_file(path, ProgramError),
]


def fifo(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (fifo, "is a FIFO"),
        (lambda path: path.mkdir(), "is a directory"),
        (listening, "is a socket"),
        (lambda path: path.symlink_to("/dev/zero"), "is a character device"),
        (lambda path: path.symlink_to("/dev/full"), "is a character device"),
        (lambda path: path.symlink_to(path), "cannot be read: Too many levels of symbolic links"),
        (lambda path: path.symlink_to("nowhere"), "does not exist"),
        (lambda path: None, "does not exist"),
    ],
    ids=["fifo", "directory", "socket", "zero", "full", "circle", "dangling", "missing"],
)
def test_what_is_no_regular_file_is_named_at_once(tmp_path: Path, read, make, words: str) -> None:
    make(tmp_path / "strange")
    with pytest.raises(ProgramError, match=rf"{tmp_path}/strange {words}"):
        read(tmp_path / "strange")


@pytest.mark.parametrize("read", READERS)
def test_links_to_regular_files_are_followed(tmp_path: Path, read) -> None:
    (tmp_path / "file").write_text("content")
    (tmp_path / "link").symlink_to("file")
    read(tmp_path / "link")


@pytest.mark.parametrize("read", READERS)
def test_over_long_names_are_shortened(tmp_path: Path, read) -> None:
    with pytest.raises(ProgramError, match=r"xxx\[\.\.\.\]xxx.* cannot be read: File name too long") as error:
        read(tmp_path / ("x" * 5000))
    assert len(str(error.value)) < 400
    with pytest.raises(ProgramError, match="cannot be read: embedded null byte"):
        read(tmp_path / "a\0b")


def test_a_file_that_is_exchanged_while_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was regular when it was looked at, and a FIFO when it was opened."""
    (tmp_path / "regular").write_text("x")
    fifo(tmp_path / "strange")
    looked = Path.stat
    monkeypatch.setattr(Path, "stat", lambda path, **_: looked(path.with_name("regular")))
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(InputError, match="strange is a FIFO"):
        open_file(tmp_path / "strange")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_sizes_are_limited_before_anything_is_read(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    for read in (read_bytes, read_text):
        with pytest.raises(InputError, match="sparse has 1099511627776 bytes, more than the 1000 that such a file may"):
            read(tmp_path / "sparse", 1000)


def test_files_without_a_size_are_empty() -> None:
    """Those of /proc have one of 0, whatever they hold."""
    path = Path("/proc/self/status")
    assert stat.S_ISREG(path.stat().st_mode) and not path.stat().st_size
    assert read_bytes(path, 100) == b"" == map_file(path)
    with pytest.raises(InputError, match="/proc/self/status is empty"):
        read_text(path, 100)


def test_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("ä\r\nb\rc".encode())
    assert read_text(tmp_path / "a", 100) == "ä\nb\nc"
    (tmp_path / "a").write_bytes(b"one\ntwo\xff")
    with pytest.raises(InputError, match="a, line 2: not UTF-8 text"):
        read_text(tmp_path / "a", 100)


def test_a_file_that_shrinks_is_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"")
    monkeypatch.setattr("emu.files.size_of", lambda file: 100)  # as it was a moment ago
    assert read_bytes(tmp_path / "a", 100) == b""
    with pytest.raises(InputError, match="a cannot be mapped: cannot mmap an empty file"):
        map_file(tmp_path / "a")

"""A file is written whole or not at all, where it was meant to be, and over nothing that is no file."""

import errno
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from dying import deaths, every_call

from emu.errors import InputError
from emu.output.calls import CALLS
from emu.output.temporary import beside, clean, temporary_file
from emu.output.whole_file import WholeFile, write_whole

pytestmark = pytest.mark.early


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_is_there_and_nothing_else(tmp_path):
    write_whole(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"new" and names(tmp_path) == ["x"]


def test_permissions_are_kept_or_those_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    (tmp_path / "old").touch()
    (tmp_path / "old").chmod(0o640)
    for name in ("old", "new"):
        write_whole(tmp_path / name, b"x")
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "old", "new")}
    assert modes["old"] == 0o640 and modes["new"] == modes["plain"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_exception_leaves_the_old_file(tmp_path, error):
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(error), WholeFile(tmp_path / "x") as file:
        file.write(b"half" * 100_000)
        raise error
    assert (tmp_path / "x").read_bytes() == b"old" and names(tmp_path) == ["x"]


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "free some"),
        (errno.EDQUOT, "quota is used up"),
        (errno.EFBIG, "raise it with ulimit -f"),
        (errno.EROFS, "name a place that can be written"),
        (errno.EIO, "Input/output error$"),
    ],
)
def test_an_error_at_every_call_is_one_sentence(tmp_path, number, advice):
    path, told, at = tmp_path / "x", 0, 0
    while True:
        path.write_bytes(b"old")
        calls, failed = 0, ""

        def before(name, _, at=at):
            nonlocal calls, failed
            calls += 1
            if calls - 1 == at:
                failed = name
                raise OSError(number, os.strerror(number))

        try:
            with every_call(before):
                write_whole(path, b"new" * 50_000)
        except InputError as error:
            told += 1
            assert re.search(f"^{path}: cannot be written: .*{advice}", str(error))
        assert path.read_bytes() in (b"old", b"new" * 50_000)
        assert failed in ("unlink", "listdir") or names(tmp_path) == ["x"]
        clean(beside(path))
        assert names(tmp_path) == ["x"]
        if calls <= at:
            break
        at += 1
    assert told >= 5


@pytest.mark.few(2)
@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_kill_at_every_call(tmp_path, old, torn, capsys):
    """The old content or the new one, whole; the next one that writes removes what is left, and says so."""
    folder, left = tmp_path / "folder", 0
    folder.mkdir()
    path = folder / "x"

    def prepare():
        path.unlink(missing_ok=True)
        if old is not None:
            path.write_bytes(old)

    def action(_):
        with WholeFile(path, durable=True) as file:
            file.write(b"new" * 50_000)

    for _ in deaths(prepare, action, torn):
        assert (path.read_bytes() if path.exists() else None) in (old, b"new" * 50_000)
        remains = [name for name in names(folder) if name != "x"]
        left += len(remains)
        capsys.readouterr()
        write_whole(path, b"again")
        assert path.read_bytes() == b"again" and names(folder) == ["x"]
        note = capsys.readouterr().err
        assert note == "".join(f"note: {folder}: removed {n}, left over from an interrupted run\n" for n in remains)
    assert left > 3


def test_several_remains_are_one_note(tmp_path, capsys):
    for _ in range(3):
        os.close(temporary_file(beside(tmp_path / "x")).descriptor)
    write_whole(tmp_path / "x", b"new")
    assert re.fullmatch(
        rf"note: {tmp_path}: removed \.x\.\S+ and 2 more, left over from an interrupted run\n", capsys.readouterr().err
    )
    assert names(tmp_path) == ["x"]


def test_what_a_living_process_writes_is_left_alone(tmp_path, capsys):
    with WholeFile(tmp_path / "x") as first:
        first.write(b"first")
        write_whole(tmp_path / "x", b"second")
        assert (tmp_path / "x").read_bytes() == b"second"
    assert (tmp_path / "x").read_bytes() == b"first" and names(tmp_path) == ["x"]
    assert capsys.readouterr().err == ""


def test_what_only_looks_similar_is_left_alone(tmp_path, capsys):
    similar = [".x.emu-unfinished-", ".x.emu-unfinished-0123456789abcdeg", "x.emu-unfinished-0123456789abcdef"]
    for name in similar:
        (tmp_path / name).write_text("mine")
    (tmp_path / ".x.emu-unfinished-0123456789abcdef").symlink_to(similar[0])
    os.mkfifo(tmp_path / ".x.emu-unfinished-0123456789abcde0")
    before = names(tmp_path)
    write_whole(tmp_path / "x", b"new")
    assert names(tmp_path) == sorted([*before, "x"]) and capsys.readouterr().err == ""


def test_links_lead_to_their_targets(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("there/real")
    (tmp_path / "link2").symlink_to("link")
    (tmp_path / "dangling").symlink_to("there/new")
    for name in ("link2", "dangling"):
        write_whole(tmp_path / name, name.encode())
        assert (tmp_path / name).is_symlink()
    assert (tmp_path / "there" / "real").read_bytes() == b"link2"
    assert (tmp_path / "there" / "new").read_bytes() == b"dangling"
    assert names(tmp_path) == ["dangling", "link", "link2", "there"] and names(tmp_path / "there") == ["new", "real"]


def test_another_name_of_the_old_file_keeps_it(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    os.link(tmp_path / "x", tmp_path / "y")
    write_whole(tmp_path / "x", b"new")
    assert (tmp_path / "y").read_bytes() == b"old"


def make_strange(path, kind):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        if os.geteuid() != 0:
            pytest.skip("only root makes device files")
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    elif kind == "directory":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))


@pytest.mark.parametrize("through_link", [False, True])
@pytest.mark.parametrize("kind", ["pipe", "device", "directory", "socket"])
def test_what_is_no_file_is_not_replaced(tmp_path, kind, through_link):
    path = tmp_path / "x"
    make_strange(path, kind)
    if through_link:
        (tmp_path / "link").symlink_to("x")
    before = path.lstat()
    with pytest.raises(InputError, match=f"is a {kind}, which is not replaced: name a file"):
        write_whole(tmp_path / "link" if through_link else path, b"new")
    assert path.lstat() == before and not list(tmp_path.glob("*unfinished*"))


def test_streams_are_written_in_place(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_whole(tmp_path / "pipe", b"new", streams=True)
    assert os.read(reader, 10) == b"new" and (tmp_path / "pipe").is_fifo()
    os.close(reader)
    write_whole(Path("/dev/null"), b"new", streams=True)
    with pytest.raises(InputError, match=r"^/dev/full: cannot be written: No space left"):
        write_whole(Path("/dev/full"), b"new", streams=True)
    for kind in ("directory", "socket"):
        make_strange(tmp_path / kind, kind)
        with pytest.raises(InputError, match=f"is a {kind}, which is not replaced"):
            write_whole(tmp_path / kind, b"new", streams=True)


@pytest.mark.parametrize("path", ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"])
def test_a_descriptor_is_written_where_it_stands(tmp_path, path):
    """A shell's `>>` loses nothing, whatever name its file has by now."""
    program = f"""
from pathlib import Path
from emu.errors import InputError
from emu.output.whole_file import write_whole
write_whole(Path({path!r}), b"new", streams=True)
try:
    write_whole(Path({path!r}), b"not this")
except InputError as error:
    assert "is an open stream" in str(error)
else:
    raise SystemExit("was written")
"""
    log = tmp_path / "log"
    log.write_bytes(b"old")
    with log.open("ab") as file:
        subprocess.run([sys.executable, "-c", program], stdout=file, check=True)
    assert log.read_bytes() == b"oldnew" and names(tmp_path) == ["log"]


def test_other_refusals(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    for path, words in (
        (tmp_path / "file" / "x", "Not a directory; a part of the path is a file"),
        (tmp_path / ("n" * 256), "File name too long; name it shorter"),
        (tmp_path / "loop", "Too many levels of symbolic links; its links lead in a circle"),
        (Path("/proc/x"), "No such file or directory"),
    ):
        with pytest.raises(InputError, match=f"^{re.escape(str(path))[:200]}.*{words}"):
            write_whole(path, b"new")
    assert names(tmp_path) == ["file", "loop"]


def test_folders_that_are_missing_are_made(tmp_path):
    write_whole(tmp_path / "a" / "b" / "x", b"new")
    assert (tmp_path / "a" / "b" / "x").read_bytes() == b"new"
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "x")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "nowhere" / "x").read_bytes() == b"new"
    with pytest.raises(InputError, match=r"/proc/no/x: cannot be written: .*; nothing can be made there"):
        write_whole(Path("/proc/no/x"), b"new")


def test_names_may_be_as_long_as_they_can_be(tmp_path):
    for name in ("n" * 255, "ü" * 127, "\udcff" * 255):
        write_whole(tmp_path / name, b"new")
        assert (tmp_path / name).read_bytes() == b"new"
    assert len(names(tmp_path)) == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_must_not_be_written_stays(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "x").chmod(0o444)
    with pytest.raises(InputError, match="Permission denied; change the permissions"):
        write_whole(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"old"


def test_a_limit_of_file_sizes(tmp_path):
    program = f"""
import resource
from pathlib import Path
from emu.output.whole_file import write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
write_whole(Path({str(tmp_path / "x")!r}), bytes(5000))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "x: cannot be written: File too large; the limit of file sizes is reached" in done.stderr
    assert names(tmp_path) == []


def test_without_locks_nothing_is_taken_for_left_over(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(CALLS, "flock", no_locks)
    with WholeFile(tmp_path / "x") as first:
        first.write(b"first")
        write_whole(tmp_path / "x", b"second")
    assert (tmp_path / "x").read_bytes() == b"first" and names(tmp_path) == ["x"]


SIGNALLED = """
import os, signal, sys
from pathlib import Path
from dying import every_call
from emu.output.whole_file import WholeFile

path, number, when = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

def interrupt(*_):
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt

signal.signal(number, interrupt)
calls = 0

def disturb(*_):
    global calls
    calls += 1
    if calls == at:
        signal.raise_signal(number)

codes = []
for at in range(1, 100):
    child = os.fork()
    if not child:
        try:
            with every_call(*([disturb] if when == "before" else [lambda *_: None, disturb])):
                with WholeFile(path, durable=True) as file:
                    file.write(b"new" * 50_000)
        except KeyboardInterrupt:
            sys.exit(3)
        sys.exit(0)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    found = [entry.name for entry in path.parent.iterdir()]
    assert found in ([], [path.name]), (at, found)
    path.unlink(missing_ok=True)
    if codes[-1] == 0:
        break
assert codes.count(3) > 8 and codes[-1] == 0, codes
"""


@pytest.mark.few(2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_signal_at_every_call_leaves_nothing(tmp_path, number, when):
    """The exception may come when the file has just been made, and nobody has learnt of it."""
    support = Path(__file__).parents[2] / "support"
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED, str(tmp_path / "x"), str(int(number)), when],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(support), str(support.parent.parent)])},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")

"""The store of files by content: bounded, shared by agents, never in their way; what is wrong in it does no harm."""

import errno
import multiprocessing
import os
import signal
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from dying import run_dying
from image_links import StandInHost, content, digest_of, hosts, sent, written

from emu.errors import InputError
from emu.output.calls import CALLS
from launch.images import cache_directory
from launch.images.cache import ImageCache
from launch.images.cache_directory import is_key
from launch.machines.content.refusal import ImageRefused
from launch.machines.content.sender import ImageSender
from launch.machines.content.store import ContentStore
from launch.system.state_folder import cache_folder

MOST = 1000


@pytest.fixture
def stack():
    with ExitStack() as stack:
        yield stack


def small(directory: Path) -> partial[ContentStore]:
    return partial(ContentStore, directory / "store", MOST)


def kept(directory: Path) -> set[str]:
    return {path.name for path in (directory / "store").iterdir() if is_key(path.name)}


def images(directory: Path) -> list[Path]:
    return list((directory / "store").glob(".image*"))


def test_what_was_not_used_for_longest_makes_room(stack, tmp_path):
    (host,) = hosts(stack, "h1", store=small(tmp_path))
    contents = {name: name.encode() * 300 for name in "abc"}
    for number, (name, text) in enumerate(contents.items()):
        files = written(tmp_path / name, {"x": text})
        sent(host, tmp_path / name, files)
        host.receiver.close()
        os.utime(tmp_path / "store" / digest_of(text).sha256, (number, number))
    sent(host, tmp_path / "a", written(tmp_path / "a", {"x": contents["a"]}))  # used again
    host.receiver.close()
    assert kept(tmp_path) == {digest_of(text).sha256 for text in contents.values()}
    sender = sent(host, tmp_path / "d", written(tmp_path / "d", {"x": b"d" * 200}))
    assert content(sender.place) == {"x": b"d" * 200}
    assert kept(tmp_path) == {digest_of(text).sha256 for text in (contents["a"], contents["c"], b"d" * 200)}


def test_what_is_in_use_stays_and_what_does_not_fit_is_refused(stack, tmp_path):
    one, other = hosts(stack, "h1", "h2", store=small(tmp_path))
    first = sent(one, tmp_path / "a", written(tmp_path / "a", {"x": b"a" * 600}))
    with pytest.raises(ImageRefused) as caught:
        sent(other, tmp_path / "b", written(tmp_path / "b", {"x": b"b" * 500}))
    assert caught.value.exit_code == 2 and str(caught.value) == (
        f"host h2 does not take the image: {tmp_path / 'store'} may hold 1000 B, 600 B of it are in use, and the files "
        "to come have 500 B: use more hosts, or shared_image"
    )
    assert content(first.place) == {"x": b"a" * 600} and len(images(tmp_path)) == 1
    one.receiver.close()
    assert content(sent(other, tmp_path / "b", written(tmp_path / "b", {"x": b"b" * 500})).place) == {"x": b"b" * 500}
    assert kept(tmp_path) == {digest_of(b"b" * 500).sha256}


def test_agents_that_take_the_same_files_at_once_do_not_harm_each_other(stack, tmp_path):
    machines = hosts(stack, "h1", "h2", store=small(tmp_path))
    files = written(tmp_path / "a", {"x": b"a" * 300, "y": b"y"})
    senders = [stack.enter_context(ImageSender(host.name, tmp_path / "a", files, host.send)) for host in machines]
    for host, sender in zip(machines, senders, strict=True):
        sender.start()
        host.answers_go_to(sender)
    while sum(host.move() for host in machines):
        assert ContentStore(tmp_path / "store").facts().bytes <= MOST
    assert [content(sender.place) for sender in senders] == [{"x": b"a" * 300, "y": b"y"}] * 2
    machines[0].receiver.close()
    assert content(senders[1].place) == {"x": b"a" * 300, "y": b"y"}


def test_a_file_that_is_taken_away_stays_where_it_is_used(stack, tmp_path):
    (host,) = hosts(stack, "h1", store=small(tmp_path))
    sender = sent(host, tmp_path / "a", written(tmp_path / "a", {"x": b"abc"}))
    (tmp_path / "store" / digest_of(b"abc").sha256).unlink()
    assert content(sender.place) == {"x": b"abc"}


@pytest.mark.parametrize("make", ["folder", "link", "other size"])
def test_what_is_no_file_of_the_store_is_never_taken(stack, tmp_path, make):
    (host,) = hosts(stack, "h1", store=small(tmp_path))
    files = written(tmp_path / "a", {"x": b"abc"})
    name = ContentStore(tmp_path / "store").directory / digest_of(b"abc").sha256
    if make == "link":
        name.symlink_to(tmp_path / "a" / "x")
    elif make == "other size":
        name.write_bytes(b"abcd")
    else:
        name.mkdir()
        with pytest.raises(ImageRefused, match=f"{name} is a directory where a file of the cache belongs: remove it"):
            sent(host, tmp_path / "a", files)
        return
    sender = sent(host, tmp_path / "a", files)
    assert content(sender.place) == {"x": b"abc"} and name.read_bytes() == b"abc" and not name.is_symlink()


def test_agents_that_begin_at_once_take_nothing_of_each_other_for_left_over(tmp_path, capfd):
    """Nor does one that finds a new store half made."""
    begin = multiprocessing.Barrier(3)

    def agent() -> None:
        begin.wait()
        for _ in range(20):
            small(tmp_path)().folder().discard()

    processes = [multiprocessing.get_context("fork").Process(target=agent) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 3 and not images(tmp_path)
    assert capfd.readouterr().err == ""


def test_a_directory_of_others_is_no_store(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("x")
    with pytest.raises(InputError, match=r"holds 'notes' and is no cache of emu: name a new or an empty directory"):
        ContentStore(tmp_path / "mine")
    ImageCache(tmp_path / "cache").close()
    with pytest.raises(InputError, match=r"is a cache of compiled images of emu, form 1: name a new or an empty dir"):
        ContentStore(tmp_path / "cache")
    ContentStore(tmp_path / "files")
    with pytest.raises(InputError, match=r"is a store of files of images of emu, form 1: name a new or an empty dir"):
        ImageCache(tmp_path / "files")


def test_a_file_system_without_hard_links_is_refused(stack, tmp_path, monkeypatch):
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(CALLS, "link", no_links, raising=False)
    (host,) = hosts(stack, "h1", store=small(tmp_path))
    with pytest.raises(
        ImageRefused, match=r"^host h1 .*store: files cannot be linked there: Operation not permitted; "
    ):
        sent(host, tmp_path / "a", written(tmp_path / "a", {"x": b"abc"}))
    assert not images(tmp_path) and not kept(tmp_path)


@pytest.mark.parametrize("call", ["ftruncate", "write"])
def test_a_full_disk_refuses_the_image(stack, tmp_path, monkeypatch, call):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (host,) = hosts(stack, "h1", store=small(tmp_path))
    ContentStore(tmp_path / "store")
    files = written(tmp_path / "a", {"x": b"abc"})
    monkeypatch.setattr(CALLS, call, full, raising=False)
    with pytest.raises(ImageRefused, match=r"^host h1 .*/x: cannot be written: No space left on device; free some"):
        sent(host, tmp_path / "a", files)
    assert not images(tmp_path) and not kept(tmp_path)


def test_what_a_killed_agent_left_is_removed_by_the_next_one(stack, tmp_path, capfd):
    files = written(tmp_path / "a", {"x": b"abc", "y": os.urandom(300)})

    def die(_):
        host = StandInHost("h1", small(tmp_path))
        host.change = lambda message: [] if message[1].get("sha256") == files[1].digest.sha256 else [message]
        sent(host, tmp_path / "a", files)
        os.kill(os.getpid(), signal.SIGKILL)

    assert run_dying(die, None).killed
    assert len(images(tmp_path)) == 1 and kept(tmp_path) == {files[0].digest.sha256}
    (host,) = hosts(stack, "h1", store=small(tmp_path))
    sender = sent(host, tmp_path / "a", files)
    assert content(sender.place) == content(tmp_path / "a") and sender.sent == 300
    assert [str(path) for path in images(tmp_path)] == [sender.place]
    assert "left over from an interrupted run" in capfd.readouterr().err


def test_an_agent_that_is_stopped_while_it_makes_room_holds_up_nobody_for_long(stack, tmp_path, monkeypatch):
    monkeypatch.setattr(cache_directory, "PATIENCE", 0.05)
    (host,) = hosts(stack, "h1", store=small(tmp_path))
    stack.enter_context(cache_directory.locked(small(tmp_path)().directory))
    assert content(sent(host, tmp_path / "a", written(tmp_path / "a", {"x": b"abc"})).place) == {"x": b"abc"}


def test_the_store_is_in_the_users_cache_and_tells_of_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    facts = ContentStore().facts()
    assert (facts.path, facts.bytes, facts.most) == (tmp_path / "emu" / "files", 0, 16 << 30) and facts.free > 0
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "emu"

    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    with pytest.raises(InputError, match=r"^this user has no home directory to keep files in: set XDG_CACHE_HOME$"):
        ContentStore()

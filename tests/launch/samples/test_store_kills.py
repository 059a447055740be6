"""A kill or an error at any system call of a run that saves its samples loses no finished one, and leaves nothing."""

import errno
import itertools
import os
import random
import shutil
import signal

import numpy as np
import pytest
from dying import deaths, every_call, run_dying

from emu.errors import InputError
from emu.image.npz import write_npz
from launch.samples.binding import Binding, StoredTensor
from launch.samples.store import SampleStore

pytestmark = pytest.mark.early
TENSORS = (StoredTensor("output a", "a", "<f4", (1, 3)), StoredTensor("kept k", "k", "<i8", (2,)))
BINDING = Binding("image", "inputs", "batch", 4, TENSORS)


def sample(k):
    return {"output a": np.full((1, 3), k, "<f4"), "kept k": np.array([k, -k], "<i8")}


def run(out, resume, note=lambda count: None):
    """A whole run, which notes every sample whose `append` has returned; how many were there."""
    with SampleStore(out, BINDING, resume) as store:
        there = store.count
        note(there)
        for k in range(there, BINDING.samples):
            store.append(sample(k))
            note(k + 1)
        store.finish()
    return there


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    return folder


@pytest.fixture
def whole(tmp_path):
    """The bytes of an undisturbed run's file."""
    samples = [sample(k) for k in range(BINDING.samples)]
    write_npz(tmp_path / "whole.npz", {t.name: np.stack([s[t.key] for s in samples]) for t in TENSORS})
    return (tmp_path / "whole.npz").read_bytes()


def emptied(folder):
    shutil.rmtree(folder)
    folder.mkdir()


def check(out, noted, whole):
    """Resume to the end: nothing that was finished may be missing, and nothing may be left."""
    before = out.read_bytes() if out.exists() else None
    assert before in (None, whole)
    there = run(out, resume=True)
    assert there >= noted or before == whole
    assert out.read_bytes() == whole
    assert [path.name for path in out.parent.iterdir()] == [out.name]


@pytest.mark.few(1)
@pytest.mark.parametrize("torn", [False, True])
def test_a_kill_at_every_call(folder, whole, torn):
    out, count = folder / "x.npz", 0
    for _, death in deaths(lambda: emptied(folder), lambda note: run(out, False, note), torn):
        check(out, death.noted, whole)
        count += 1
    assert count > 40


@pytest.mark.full
def test_a_kill_at_every_call_with_an_older_file(folder, whole):
    """The older file is there, whole, until the new one is."""
    out = folder / "x.npz"

    def prepare():
        emptied(folder)
        out.write_bytes(b"older")

    for _, death in deaths(prepare, lambda note: run(out, False, note)):
        if out.read_bytes() == b"older":
            out.unlink()
        check(out, death.noted, whole)


def double(out, whole, first, second):
    """Kill a run at a call, and its continuation at another one; whether both were killed."""
    emptied(out.parent)
    death = run_dying(lambda note: run(out, False, note), first)
    again = run_dying(lambda note: run(out, True, note), second)
    check(out, max(death.noted, again.noted), whole)
    return death.killed and again.killed


def calls_of(out):
    emptied(out.parent)
    return run_dying(lambda note: run(out, False, note), None).calls


@pytest.mark.full
def test_pairs_of_kills(folder, whole):
    out = folder / "x.npz"
    calls = calls_of(out)
    pairs = random.Random(1).sample(list(itertools.product(range(calls), repeat=2)), 60)
    assert sum(double(out, whole, *pair) for pair in pairs) > 30


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_all_pairs_of_kills(folder, whole):
    out = folder / "x.npz"
    calls = calls_of(out)
    for first in range(calls):
        for second in range(2 * calls):
            if not double(out, whole, first, second):
                break


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG])
def test_an_error_at_every_call(folder, whole, number):
    """One sentence that names a file, and no finished sample is lost."""
    out, at = folder / "x.npz", 0
    told = 0
    while True:
        emptied(folder)
        calls, noted, failed = 0, 0, ""

        def before(name, arguments, at=at):
            nonlocal calls, failed
            calls += 1
            if calls - 1 == at:
                failed = name
                raise OSError(number, os.strerror(number))

        def note(count):
            nonlocal noted
            noted = count

        try:
            with every_call(before):
                run(out, False, note)
        except InputError as error:
            told += 1
            assert ("x.npz" in str(error) and os.strerror(number) in str(error)) or "locked" in str(error), error
        assert failed == "unlink" or not list(folder.glob("*unfinished*"))
        check(out, noted, whole)
        if calls <= at:
            break
        at += 1
    assert told > 20


def begin(out):
    """A run that was killed after two samples."""

    def two(note):
        store = SampleStore(out, BINDING)
        for k in range(2):
            store.append(sample(k))
            note(k + 1)
        os.kill(os.getpid(), signal.SIGKILL)

    emptied(out.parent)
    assert run_dying(two, None).noted == 2


def test_a_second_name_of_the_side_file_keeps_what_it_has(folder, whole):
    """Hard links are made by backups, and by whoever wants to destroy something."""
    out, side = folder / "x.npz", folder / "x.npz.partial"
    begin(out)
    names = [folder / name for name in ("x.npz.writing", ".x.npz.partial.new", "copy")]
    for name in names:
        os.link(side, name)
    before = side.read_bytes()
    assert run(out, resume=True) == 2 and out.read_bytes() == whole
    assert [name.read_bytes() for name in names] == [before] * 3


@pytest.mark.full
def test_a_kill_at_every_call_while_the_side_file_has_a_second_name(folder, whole):
    out, copy = folder / "x.npz", folder / "copy"

    def prepare():
        begin(out)
        os.link(folder / "x.npz.partial", copy)

    prepare()
    before = copy.read_bytes()
    for _, death in deaths(prepare, lambda note: run(out, True, note)):
        assert copy.read_bytes() == before
        copy.unlink()
        check(out, death.noted, whole)


@pytest.mark.parametrize("name", ["x.npz.writing", "x.npz.partial", "x.npz"])
def test_links_to_precious_files_destroy_nothing(folder, whole, name):
    precious = folder / "precious"
    precious.write_text("mine")
    (folder / name).symlink_to("precious")
    out = folder / "x.npz"
    if name == "x.npz.partial":
        with pytest.raises(InputError, match=r"x.npz.partial is a link, but finished samples are kept there: remove"):
            run(out, False)
    else:
        run(out, False)
        assert out.read_bytes() == whole
    # A link at the place of the output file is meant: its target is written.
    assert precious.read_bytes() == (whole if name == "x.npz" else b"mine")
    assert (folder / name).is_symlink() and {path.name for path in folder.iterdir()} <= {"precious", "x.npz", name}


def test_a_dangling_link_makes_the_file_it_names(folder, whole):
    (folder / "x.npz").symlink_to("elsewhere")
    run(folder / "x.npz", False)
    assert (folder / "elsewhere").read_bytes() == whole and (folder / "x.npz").is_symlink()

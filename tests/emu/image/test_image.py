"""Images: what is written is read, whole or not at all; digests."""

import io
import threading
from dataclasses import replace

import numpy as np
import pytest
from strategies_programs import ARCH
from two_core_image import GROUPS, MANIFEST, content, cores, write

from emu.errors import InputError, ProgramError
from emu.image.digest import digests
from emu.image.groups import place_groups
from emu.image.manifest_json import manifest_from_json, manifest_to_json
from emu.image.reader import KnownPrograms, open_image
from emu.image.writer import ImageWriter
from emu.program.builder import SectionBuilder
from emu.program.codec import decode_program, encode_program
from emu.program.program import Program


def test_what_is_written_is_read(out):
    image = open_image(out)
    assert image.cores == [2, 7]
    assert image.arch == ARCH
    assert replace(image.manifest, cores=(), files={}) == MANIFEST
    for program, weights in cores():
        assert image.program(program.core) == replace(program, groups=place_groups(program.groups))
        for array, group, view in zip(weights, program.groups, image.weights(program.core), strict=True):
            assert view.shape == (group.rows, 16)
            assert view.dtype == array.dtype
            assert not view.flags.writeable
            np.testing.assert_array_equal(view[:, : group.cols], array)
            assert not view[:, group.cols :].any()
    assert image.default_inputs()["x"].shape == (2, 1, 3, 2, 2)
    assert image.golden()["y"].tolist() == [[[1, 1, 1, 1]]] * 2


def test_an_image_has_these_files_and_equal_bytes_every_time(out, tmp_path):
    again = content(write(tmp_path / "again"))
    assert sorted(again) == [
        "core_0002.prog",
        "core_0007.prog",
        "core_0007.xbar",
        "golden.npz",
        "inputs.npz",
        "manifest.json",
    ]
    assert content(out) == again


def test_groups_are_aligned(out):
    assert [group.offset for group in open_image(out).program(7).groups] == [0, 128]


def test_an_image_without_arrays_has_none(tmp_path):
    with ImageWriter(tmp_path / "o") as writer:
        writer.finish(replace(MANIFEST, default_input="", golden=""))
    image = open_image(tmp_path / "o")
    assert (image.default_inputs(), image.golden(), image.cores) == (None, None, [])


def test_an_exception_leaves_the_old_image_and_nothing_else(out, tmp_path):
    before = content(out)
    with pytest.raises(RuntimeError), ImageWriter(out) as writer:
        with writer.add_file("half") as file:
            file.write(b"x")
        raise RuntimeError
    assert content(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_full_disk_is_told_in_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"out: cannot be written: .*No space left"), ImageWriter(tmp_path / "out"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_the_file_that_cannot_be_written_is_named(tmp_path):
    with (
        pytest.raises(InputError, match=r"out/inputs.npz: cannot be written: No space left on device; free some"),
        ImageWriter(tmp_path / "out") as writer,
    ):
        writer.add_file("inputs.npz")
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_an_older_image_is_replaced_whole(out):
    with ImageWriter(out) as writer:
        with writer.add_file("older") as file:
            file.write(b"x")
        writer.finish(replace(MANIFEST, default_input="", golden=""))
    write(out)
    assert not (out / "older").exists()
    assert [path.name for path in out.parent.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["notes.txt", "results"])
def test_an_older_image_with_files_of_others_is_not_replaced(out, name):
    (out / name).mkdir() if name == "results" else (out / name).write_text("precious")
    before = sorted(path.name for path in out.iterdir())
    with pytest.raises(InputError, match=f"out holds '{name}', which is not of the image there"):
        write(out)
    assert sorted(path.name for path in out.iterdir()) == before
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_foreign_directories_are_not_overwritten(tmp_path):
    (tmp_path / "data").write_text("precious")
    with pytest.raises(InputError, match="is not empty and holds no image"):
        ImageWriter(tmp_path)
    with pytest.raises(InputError, match="data is a file"):
        ImageWriter(tmp_path / "data")
    assert (tmp_path / "data").read_text() == "precious"


def test_an_empty_directory_is_used(tmp_path):
    (tmp_path / "out").mkdir()
    assert open_image(write(tmp_path / "out")).cores == [2, 7]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([np.zeros((7, 3), np.int8)], "core 7: group 1 has no weight array"),
        ([np.zeros((7, 4), np.int8)], r"group 0 has weights int8\[7, 4\], expected int8\[7, 3\]"),
        ([np.zeros((7, 3), np.int16)], r"group 0 has weights int16\[7, 3\], expected int8\[7, 3\]"),
        ([*cores()[0][1], np.zeros(1)], "more weight arrays than its 2 groups"),
    ],
)
def test_wrong_weights_are_refused(tmp_path, weights, message):
    with pytest.raises(ProgramError, match=message), ImageWriter(tmp_path / "out") as writer:
        writer.add_core(cores()[0][0], weights)
    assert list(tmp_path.iterdir()) == []


def test_names_of_files_are_checked(tmp_path):
    with ImageWriter(tmp_path / "out") as writer:
        writer.add_core(cores()[1][0], [])
        for name in ("../x", "manifest.json", "", "core_0002.prog"):
            with pytest.raises(InputError, match="cannot be added to the image"):
                writer.add_file(name)
        with pytest.raises(InputError, match="core 2 is added twice"):
            writer.add_core(cores()[1][0], [])


def test_manifest_text_round_trips():
    text = manifest_to_json(replace(MANIFEST, default_input="", golden=""))
    assert manifest_to_json(manifest_from_json(text, "here")) == text


def test_weights_are_taken_one_at_a_time(tmp_path):
    seen = []

    def lazily():
        for array in cores()[0][1]:
            seen.append(len(list(tmp_path.glob(".out.*/core_0007.xbar"))))
            yield array

    with ImageWriter(tmp_path / "out") as writer:
        writer.add_core(cores()[0][0], lazily())
    assert seen == [1, 1]


def test_written_programs_decode_from_their_files(out):
    assert decode_program((out / "core_0007.prog").read_bytes(), "p").groups == place_groups(GROUPS)


def test_digests_stop_when_they_are_interrupted(tmp_path, monkeypatch):
    """Nobody waits for threads that read, and none of them reads on."""
    names = [f"f{k}" for k in range(50)]
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    begun, go_on = threading.Event(), threading.Event()
    opened = []

    def slow(path, *_):
        opened.append(path)
        begun.set()
        assert go_on.wait(60)
        return io.BytesIO(b"x")

    def interrupted(thread):
        assert begun.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr("emu.image.digest.open_file", slow)
    joined = threading.Thread.join
    monkeypatch.setattr(threading.Thread, "join", interrupted)
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        digests(tmp_path, names)
    left = set(threading.enumerate()) - before
    assert all(thread.daemon for thread in left)
    go_on.set()
    for thread in left:
        joined(thread, 60)
        assert not thread.is_alive()
    assert len(opened) <= 2


def test_digests_without_threads(out, monkeypatch):
    found = digests(out, sorted(path.name for path in out.iterdir()))
    monkeypatch.setattr(threading.Thread, "start", lambda thread: raise_error(RuntimeError("can't start new thread")))
    assert digests(out, list(found)) == found


def raise_error(error):
    raise error


def test_small_programs_are_kept_and_large_ones_decoded_again(out):
    image = open_image(out)
    files = {core: (out / f"core_{core:04d}.prog").read_bytes() for core in image.cores}
    world = image.arch, frozenset(image.cores)
    for most, kept in ((sum(map(len, files.values())), {2, 7}), (max(map(len, files.values())), {7}), (0, set())):
        known = KnownPrograms(most)
        first = {core: known.read(content, core, "p", world) for core, content in files.items()}
        again = {core: known.read(files[core], core, "p", world) for core in (7, 2)}
        assert {core for core in files if again[core] is first[core]} == kept and again == first
    with pytest.raises(ProgramError, match="p: is the program of core 2, not of core 7"):
        known.read(files[2], 7, "p", world)


def test_programs_that_talk_to_nobody_are_known_for_every_core_and_others_for_theirs():
    world, known = (ARCH, frozenset(range(ARCH.all_cores))), KnownPrograms()

    def read(core, *peers):
        build = SectionBuilder()
        for peer in peers:
            build.emit("sync", core=peer, event=0)
        build.emit("halt")
        program = Program(core, main=build.finish())
        found = known.read(encode_program(program), core, "p", world)
        assert found == program
        return found

    assert read(1).main is read(3).main
    assert read(1, 2).main is not read(3, 2).main
    for core, peers, message in (
        (ARCH.all_cores, (), "p: core .*: the architecture has cores 0 to"),
        (2, (2,), "cannot be its own peer"),
    ):
        with pytest.raises(ProgramError, match=message):
            read(core, *peers)

"""Images: what is written is read; whatever is damaged is named, and never gives anything but InputError."""

import io
import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies_programs import ARCH
from tensors import tensor

from emu.errors import InputError, ProgramError
from emu.image.digest import digests
from emu.image.groups import place_groups
from emu.image.manifest import Manifest, ModelInfo, TensorOrigin
from emu.image.manifest_json import manifest_from_json, manifest_to_json
from emu.image.npz import write_npz
from emu.image.reader import open_image
from emu.image.seal import seal
from emu.image.writer import ImageWriter
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.codec import decode_program, encode_program
from emu.program.group import GroupSpec
from emu.program.program import Program, Source

GROUPS = (
    GroupSpec(DType.i8, DType.i8, DType.i32, (6, 1), (3,)),
    GroupSpec(DType.f32, DType.f32, DType.f32, (2,), (4, 1)),
)
INPUT = tensor("x", (1, 3, 2, 2), DType.i8, (3, 2, 2), ("", "C", "H", "W"), ((0, 3), 0))
OUTPUT = tensor("y", (1, 4), DType.i32, (4, 1, 1), ("", "C"), ((0, 4), 16))
MANIFEST = Manifest(
    ARCH,
    (),
    (INPUT,),
    (OUTPUT,),
    64,
    ModelInfo("net", "ab" * 32),
    "inputs.npz",
    "golden.npz",
    "by hand",
    {"k": "v"},
    (TensorOrigin("t", "conv", ""), TensorOrigin("u", "relu", "fused into node 'x'")),
    ("weights hold NaN",),
)


def cores():
    """Two cores: one with weights that sends, one without that receives."""
    first, second = SectionBuilder(), SectionBuilder()
    first.emit("send", (), (Address(0),), core=2, size=4)
    second.emit("recv", (), (Address(0),), core=7, size=4)
    weights = [np.arange(21, dtype=np.int8).reshape(7, 3), np.ones((2, 5), np.float32)]
    return [(Program(7, GROUPS, main=first.finish()), weights), (Program(2, main=second.finish()), [])]


def write(out: Path) -> Path:
    with ImageWriter(out) as writer:
        for program, weights in cores():
            writer.add_core(program, iter(weights))
        with writer.add_file("inputs.npz") as file:
            write_npz(file, {"x": np.zeros((2, 1, 3, 2, 2), np.int8)})
        with writer.add_file("golden.npz") as file:
            write_npz(file, {"y": np.ones((2, 1, 4), np.int32)})
        writer.finish(MANIFEST)
    return out


@pytest.fixture
def out(tmp_path):
    return write(tmp_path / "out")


def content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def edit_manifest(out: Path, edit) -> None:
    path = out / "manifest.json"
    record = json.loads(path.read_text())
    edit(record)
    path.write_text(json.dumps(record))


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


@pytest.mark.parametrize("name", ["core_0002.prog", "core_0007.xbar", "inputs.npz"])
def test_a_changed_byte_names_the_file_and_seal(out, name):
    data = bytearray((out / name).read_bytes())
    data[len(data) // 2] ^= 1
    (out / name).write_bytes(data)
    with pytest.raises(ProgramError, match=rf"{name} has changed .*run `emu seal .*out` if the edit was deliberate"):
        open_image(out)
    assert open_image(out, verify=False).manifest.global_size == 64


@pytest.mark.parametrize("name", ["core_0002.prog", "core_0007.xbar", "golden.npz"])
def test_a_missing_file_is_named(out, name):
    (out / name).unlink()
    for call in (open_image, seal):
        with pytest.raises(ProgramError, match=f"file '{name}' of the manifest is missing"):
            call(out)


def test_seal_accepts_a_deliberate_edit(out):
    data = bytearray((out / "core_0007.xbar").read_bytes())
    data[0] = 99
    (out / "core_0007.xbar").write_bytes(data)
    assert seal(out) == 1
    assert open_image(out).weights(7)[0][0, 0] == 99
    assert seal(out) == 0


def test_no_image(tmp_path):
    with pytest.raises(ProgramError, match=r"is no image: it has no manifest.json"):
        open_image(tmp_path)


def test_a_program_in_the_wrong_file_is_refused(out):
    (out / "core_0002.prog").write_bytes((out / "core_0007.prog").read_bytes())
    with pytest.raises(ProgramError, match=r"core_0002.prog: is the program of core 7, not of core 2"):
        open_image(out, verify=False).program(2)


def test_a_short_crossbar_file_is_refused(out):
    (out / "core_0007.xbar").write_bytes(bytes(127))
    with pytest.raises(ProgramError, match=r"core 7: group 1 is \[128, 256\) of core_0007.xbar, which has 127 bytes"):
        open_image(out, verify=False).weights(7)


def test_a_missing_crossbar_entry_is_refused(out):
    edit_manifest(out, lambda record: record["cores"][1].update(xbar=""))
    with pytest.raises(ProgramError, match=r"core 7 has array groups, but no .xbar file"):
        open_image(out).weights(7)


def test_peers_must_have_programs(out):
    edit_manifest(out, lambda record: record["cores"].pop(0))
    with pytest.raises(ProgramError, match=r"core_0007.prog: core 7, main\[0\] send: core 2 has no program"):
        open_image(out).program(7)


def test_an_unknown_core_is_named(out):
    with pytest.raises(ProgramError, match="core 3 has no program"):
        open_image(out).program(3)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda r: r.update(version=5), r"manifest.json: image format version 5 is newer than this emulator's 4"),
        (lambda r: r.update(version=1), r"version 1 is older than this emulator's 4: compile again"),
        (
            lambda r: r.update(tensors=[{"tensor": "", "node": "n", "absent": ""}]),
            r"tensors\[0\].tensor: expected a",
        ),
        (lambda r: r.update(tensors=[{"tensor": "t"}]), r"tensors\[0\]: key 'node' is missing"),
        (lambda r: r.update(warnings=[3]), r"warnings\[0\]: expected a non-empty string, got 3"),
        (lambda r: r.update(version="1"), r"version: expected an integer from 1 to 2147483648, got '1'"),
        (lambda r: r.update(format="zip"), r"not the manifest of a compiled image"),
        (lambda r: r.pop("format"), r"not the manifest of a compiled image"),
        (lambda r: r.pop("cores"), r"key 'cores' is missing"),
        (lambda r: r.update(global_sise=1), r"unknown key 'global_sise'; did you mean 'global_size'"),
        (lambda r: r.update(global_size=-1), r"global_size: expected an integer from 0 to"),
        (
            lambda r: r.update(global_size=16),
            r"outputs\[0\]: a tile is \[16, 32\) of a global memory in use of 16 bytes",
        ),
        (lambda r: r.update(cores={}), r"cores: expected a list, got {}"),
        (lambda r: r["cores"][0].update(core=1.5), r"cores\[0\].core: expected an integer from 0 to 7, got 1.5"),
        (lambda r: r["cores"][0].update(core=7), r"cores: 7 occurs twice"),
        (
            lambda r: r["cores"][0].update(program="../x"),
            r"cores\[0\].program: expected the name of a file in the same",
        ),
        (lambda r: r["cores"][0].update(program="other"), r"file 'other' has no digest under 'files'"),
        (lambda r: r["inputs"][0].update(dtype="f64"), r"inputs\[0\].dtype: expected one of f32, .*, got 'f64'"),
        (lambda r: r["inputs"][0].update(name=""), r"inputs\[0\].name: expected a non-empty string, got ''"),
        (lambda r: r["inputs"][0].update(name="\ud800"), r"inputs\[0\].name: .* is no valid Unicode text"),
        (lambda r: r["inputs"][0]["shape"].__setitem__(1, -1), r"inputs\[0\].shape\[1\]: expected an integer from 0"),
        (lambda r: r["inputs"][0].update(extent=[3, 4]), r"inputs\[0\]: extent \[3, 4\] must hold 3 to 13 sizes"),
        (lambda r: r["inputs"][0].update(extent=[3, 2, 1]), r"inputs\[0\]: shape .* is not extent"),
        (lambda r: r["inputs"][0]["tiles"][0]["box"].__setitem__(2, [0, 2]), r"inputs\[0\]: its tiles .* must cover"),
        (lambda r: r["inputs"].append(r["inputs"][0]), r"inputs: 'x' occurs twice"),
        (lambda r: r["model"].update(sha256="abc"), r"model.sha256: expected a SHA-256 of 64 hexadecimal digits"),
        (lambda r: r["options"].update(k=1), r"options.k: expected a string, got 1"),
        (lambda r: r["arch"]["core"].update(events=0), r"arch: core.events must be from 1 to 65536, not 0"),
        (lambda r: r.update(arch=[]), r"arch: expected an object, got \[\]"),
        (lambda r: r["files"].update({"../etc": r["files"]["golden.npz"]}), r"'../etc' cannot be the name of a file"),
        (lambda r: r["files"]["golden.npz"].update(sha256=""), r"files.golden.npz.sha256: expected a SHA-256"),
        (lambda r: r.update(golden="/etc/passwd"), r"golden: expected the name of a file in the same directory"),
    ],
)
def test_manifest_mistakes_name_file_and_key(out, edit, message):
    edit_manifest(out, edit)
    with pytest.raises(InputError, match=rf"manifest.json: .*{message.removeprefix('manifest.json: ')}"):
        open_image(out)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "manifest.json is empty"),
        ("[" * 100_000, "not valid JSON"),
        ('{"format": NaN}', "not valid JSON: NaN is not allowed"),
        ('{"format": 1, "format": 2}', "a key occurs twice"),
        ("[]", r"expected an object, got \[\]"),
        ('{"version": ' + "9" * 5000 + "}", "not valid JSON"),
    ],
)
def test_broken_json(out, text, message):
    (out / "manifest.json").write_text(text)
    with pytest.raises(ProgramError, match=message):
        open_image(out)


def test_a_manifest_that_is_no_text(out):
    (out / "manifest.json").write_bytes(b"\xff\xff")
    with pytest.raises(ProgramError, match="not UTF-8 text"):
        open_image(out)


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_mutations_give_nothing_but_input_errors(out, data):
    """With `verify=False`, so that the loaders behind the digests are reached."""
    files = sorted(path for path in out.iterdir())
    path = data.draw(st.sampled_from(files))
    original = path.read_bytes()
    content = bytearray(original)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    length = data.draw(st.sampled_from([len(content), len(content), len(content) // 2]))
    path.write_bytes(content[:length])
    try:
        image = open_image(out, verify=False)
        for core in image.cores:
            image.program(core), image.weights(core)
        image.default_inputs(), image.golden()
    except InputError as error:
        assert str(out) in str(error)
    finally:
        path.write_bytes(original)


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


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("core_0007.prog", lambda data: data[:-9], r"core_0007\.prog: damaged or truncated program file"),
        ("core_0002.prog", lambda data: b"no program", r"core_0002\.prog: "),
        ("core_0007.xbar", lambda data: data[:-64], r"group 1 is .* of core_0007\.xbar, which has"),
        ("inputs.npz", lambda data: data[:-9], r"inputs\.npz is no readable \.npz file"),
        (
            "golden.npz",
            lambda data: data.replace(b"'<i4'", b"'|O' "),
            r"golden\.npz is no readable \.npz file: array 'y'",
        ),
    ],
)
def test_seal_refuses_what_cannot_be_read(out, name, damage, message):
    before = (out / "manifest.json").read_bytes()
    (out / name).write_bytes(damage((out / name).read_bytes()))
    with pytest.raises(InputError, match=message):
        seal(out)
    assert (out / "manifest.json").read_bytes() == before


def test_names_that_are_no_text_are_told_as_such(out):
    content = bytearray((out / "core_0007.prog").read_bytes())
    program = replace(cores()[0][0], sources=(Source("conv"),))
    content = encode_program(program).replace(b"conv", b"co\xffv")
    (out / "core_0007.prog").write_bytes(content)
    with pytest.raises(ProgramError, match=r"core_0007\.prog: the name of a node or tensor, b'co\\xffv', is not UTF-8"):
        seal(out)


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

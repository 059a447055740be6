"""Read-only tensors of an image: written and read back; strange files and impossible places are one sentence."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from images import ARCH, byte_tensor

from emu.errors import InputError, ProgramError
from emu.image.manifest import Manifest, ReadOnlySpec
from emu.image.manifest_json import manifest_from_json, manifest_to_json
from emu.image.read_only import map_tensor, read_only_fault
from emu.image.reader import open_image
from emu.image.seal import seal
from emu.image.writer import ImageWriter
from emu.isa.dtypes import DType

SIZE = 256  # bytes of global memory in use
WEIGHTS = ReadOnlySpec("weights", DType.f16, (2, 3), 32, "weights.npy")
SPECS = (
    WEIGHTS,
    ReadOnlySpec("scalar", DType.i64, (), 48, "scalar.npy"),
    ReadOnlySpec("nothing", DType.f32, (0, 3), 50, "nothing.npy"),
    ReadOnlySpec("flags", DType.bool, (3,), 44, "flags.npy"),
)
ELEMENTS = {
    "weights": np.arange(6, dtype=np.float16).reshape(2, 3),
    "scalar": np.array(-2),
    "nothing": np.empty((0, 3), np.float32),
    "flags": np.array([True, False, True]),
}
MANIFEST = Manifest(ARCH, (), (byte_tensor("x", 32, 0),), (byte_tensor("y", 8, 56),), SIZE)


def write(out: Path, specs=SPECS) -> Path:
    with ImageWriter(out) as writer:
        for spec in specs:
            writer.add_read_only(spec, ELEMENTS[spec.name])
        writer.finish(MANIFEST)
    return out


@pytest.fixture
def out(tmp_path):
    return write(tmp_path / "out")


def edit(out: Path, change) -> None:
    path = out / "manifest.json"
    record = json.loads(path.read_text())
    change(record["read_only"], record)
    path.write_text(json.dumps(record))


def test_what_is_written_is_mapped(out):
    image = open_image(out)
    assert image.manifest.read_only == SPECS and {spec.file for spec in SPECS} == image.manifest.files.keys()
    for spec, (name, address, content) in zip(SPECS, image.read_only(), strict=True):
        assert (name, address, content.readonly) == (spec.name, spec.address, True)
        assert bytes(content) == ELEMENTS[name].tobytes() and len(content) == spec.nbytes == spec.end - address


def test_columns_first_are_written_rows_first(tmp_path):
    columns = np.asfortranarray(ELEMENTS["weights"])
    with ImageWriter(tmp_path / "out") as writer:
        writer.add_read_only(WEIGHTS, columns)
        writer.finish(MANIFEST)
    ((_, _, content),) = open_image(tmp_path / "out").read_only()
    assert bytes(content) == columns.tobytes("C")


@pytest.mark.parametrize("elements", [np.zeros((3, 2), np.float16), np.zeros((2, 3), np.float32), np.zeros(6, ">f2")])
def test_other_elements_are_not_written(tmp_path, elements):
    with (
        pytest.raises(ProgramError, match=r"out: read-only tensor 'weights' is .*, expected <f2\[2, 3\]"),
        ImageWriter(tmp_path / "out") as writer,
    ):
        writer.add_read_only(WEIGHTS, elements)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file", ["manifest.json", "weights.npy", "../w.npy", ""])
def test_names_of_files_are_checked(tmp_path, file):
    with ImageWriter(tmp_path / "out") as writer:
        writer.add_read_only(WEIGHTS, ELEMENTS["weights"])
        with pytest.raises(InputError, match="cannot be added to the image"):
            writer.add_read_only(replace(WEIGHTS, file=file), ELEMENTS["weights"])


def damage(change):
    """The file with other bytes."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


def instead(make):
    """Something else in the place of the file."""

    def put(path):
        path.unlink()
        make(path)

    return put


STRANGE = {
    "short": (damage(lambda data: data[:-1]), "does not agree with its 139 bytes"),
    "long": (damage(lambda data: data + b"\0"), "does not agree with its 141 bytes"),
    "empty": (damage(lambda data: b""), "no readable .npy file"),
    "no array": (damage(lambda data: b"PK\3\4" + data), "no readable .npy file"),
    "huge header": (damage(lambda data: data[:8] + b"\xff\xff" + data[10:]), "its header has 65535 bytes"),
    "huge shape": (damage(lambda data: data.replace(b"(2, 3), }", b"(2, 3" + b"0" * 9 + b"), }")), "no readable"),
    "negative": (damage(lambda data: data.replace(b"(2, 3)", b"(-2,-3)").replace(b" \n", b"\n")), "shape"),
    "other shape": (damage(lambda data: data.replace(b"(2, 3)", b"(3, 2)")), r"is <f2\[3, 2\], expected <f2\[2, 3\]"),
    "other type": (damage(lambda data: data.replace(b"<f2", b"<i2")), r"is <i2\[2, 3\], expected <f2\[2, 3\]"),
    "big-endian": (damage(lambda data: data.replace(b"<f2", b">f2")), r"is >f2\[2, 3\], expected <f2\[2, 3\]"),
    "objects": (damage(lambda data: data.replace(b"'<f2'", b"'|O' ")), "only numbers can be read"),
    "columns first": (damage(lambda data: data.replace(b"False", b"True ")), "column by column"),
    "directory": (instead(Path.mkdir), "is a directory: only regular files"),
    "fifo": (instead(os.mkfifo), "is a FIFO"),
    "device": (instead(lambda path: path.symlink_to("/dev/zero")), "is a character device"),
    "circle": (instead(lambda path: path.symlink_to(path.name)), "cannot be read"),
    "nothing": (Path.unlink, "does not exist|is missing"),
    "elsewhere": (instead(lambda path: path.symlink_to("nowhere.npy")), "does not exist|cannot be read"),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_files_are_one_sentence(out, kind):
    change, message = STRANGE[kind]
    assert (out / "weights.npy").stat().st_size == 140
    change(out / "weights.npy")
    with pytest.raises(InputError, match=message) as caught:
        list(open_image(out, verify=False).read_only())
    assert "weights.npy" in str(caught.value) and caught.value.exit_code == 2
    with pytest.raises(InputError, match=r"weights\.npy"):
        open_image(out)
    before = (out / "manifest.json").read_bytes()
    with pytest.raises(InputError, match=message):
        seal(out)
    assert (out / "manifest.json").read_bytes() == before


def test_a_link_to_a_sound_file_is_followed(out, tmp_path):
    (out / "weights.npy").rename(tmp_path / "elsewhere.npy")
    (out / "weights.npy").symlink_to(tmp_path / "elsewhere.npy")
    assert bytes(next(open_image(out).read_only())[2]) == ELEMENTS["weights"].tobytes()


def test_a_deliberate_edit_is_sealed(out):
    np.save(out / "weights.npy", ELEMENTS["weights"] + 1)
    with pytest.raises(ProgramError, match="has changed since the image was written"):
        open_image(out)
    assert seal(out) == 1
    assert bytes(next(open_image(out).read_only())[2]) == (ELEMENTS["weights"] + 1).tobytes()


MISTAKES = {
    "read_only.*: key 'file' is missing": lambda r, _: r[0].pop("file"),
    "unknown key 'layout'": lambda r, _: r[0].update(layout=[]),
    r"read_only\[0\].shape\[1\]: expected an integer from 0": lambda r, _: r[0]["shape"].__setitem__(1, -3),
    r"read_only\[0\].shape: 65 dimensions, more than 64": lambda r, _: r[0].update(shape=[1] * 65),
    r"read_only\[0\].shape: expected a list": lambda r, _: r[0].update(shape=6),
    r"read_only\[0\].dtype: expected one of f32": lambda r, _: r[0].update(dtype="f8"),
    r"read_only\[0\].address: expected an integer from 0": lambda r, _: r[0].update(address=-1),
    r"read_only\[0\].name: expected a non-empty string": lambda r, _: r[0].update(name=""),
    r"read_only\[0\].file: expected the name of a file": lambda r, _: r[0].update(file="../w.npy"),
    "file 'v.npy' has no digest under 'files'": lambda r, _: r[0].update(file="v.npy"),
    "read_only: 'weights' occurs twice": lambda r, _: r[1].update(name="weights"),
    "two read-only tensors name the file 'weights.npy'": lambda r, _: r[1].update(file="weights.npy"),
    r"tensor 'weights' is \[245, 257\) of a global memory in use of 256": lambda r, _: r[0].update(address=245),
    r"'weights' is \[32, \d{90,}\) of a global": lambda r, _: r[0].update(shape=[1 << 48] * 7),
    r"'weights', \[31, 43\) of global memory, overlaps tensor 'x', which ends": lambda r, _: r[0].update(address=31),
    r"tensor 'y', \[56, 64\) of global memory, overlaps read-only tensor 'scalar', which ends at 57": (
        lambda r, _: r[1].update(address=49)
    ),
    r"'flags', \[43, 46\) of global memory, overlaps read-only tensor 'weights'": lambda r, _: (
        r[3].update(address=43) or r[0].update(address=33)
    ),
    "key 'read_only' is missing": lambda _, record: record.pop("read_only"),
    "read_only: expected a list": lambda _, record: record.update(read_only={}),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_manifest_mistakes_name_the_key(out, message):
    edit(out, MISTAKES[message])
    with pytest.raises(InputError, match=rf"manifest.json: .*{message}"):
        open_image(out)


def test_what_cannot_be_opened_again_is_not_written(tmp_path):
    with pytest.raises(InputError, match="overlaps"), ImageWriter(tmp_path / "out") as writer:
        writer.add_read_only(replace(WEIGHTS, address=60), ELEMENTS["weights"])
        writer.finish(MANIFEST)
    assert list(tmp_path.iterdir()) == []


def test_manifest_text_round_trips(out):
    text = (out / "manifest.json").read_text()
    assert manifest_to_json(manifest_from_json(text, "here")) == text


@st.composite
def places(draw, kind):
    ranges = draw(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), max_size=5))
    return [(f"{kind}{index}", address, size) for index, (address, size) in enumerate(ranges)]


@given(places("w"), places("x"))
def test_overlaps_are_found(fixed, tensors):
    specs = [ReadOnlySpec(name, DType.u8, (size,), address, name) for name, address, size in fixed]
    fault = read_only_fault(specs, [byte_tensor(name, size, address) for name, address, size in tensors], 48)
    taken = [{*range(address, address + size)} for _, address, size in fixed]
    others = [{*range(address, address + size)} for _, address, size in tensors]
    clash = any(one & two for at, one in enumerate(taken) for two in (*taken[at + 1 :], *others))
    beyond = any(address + size > 48 for _, address, size in fixed)
    assert bool(fault) == (clash or beyond)
    assert not beyond or "of a global memory in use of 48 bytes" in fault


def test_a_large_file_is_mapped_not_read(tmp_path):
    """A sparse file of 64 GiB: reading it would take minutes, and memory."""
    spec = ReadOnlySpec("w", DType.f32, (1 << 17, 1 << 17), 0, "w.npy")
    with (tmp_path / "w.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": spec.shape})
        file.truncate(file.tell() + spec.nbytes)
    assert map_tensor(tmp_path / "w.npy", spec)[-1, -1] == 0

"""A kill at any system call leaves an image as it was, or as it was to become; what is left over goes with the next."""

import numpy as np
import pytest
from dying import deaths

from emu.arch import Arch
from emu.asm.assembler import assemble
from emu.asm.disassembler import disassemble
from emu.image.manifest import Manifest
from emu.image.npz import read_npz, write_npz
from emu.image.reader import open_image
from emu.image.seal import seal
from emu.image.writer import ImageWriter
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program

pytestmark = pytest.mark.early
GROUP = GroupSpec(DType.i8, DType.i8, DType.i32, (2,), (3,))


def write(out, cores):
    with ImageWriter(out) as writer:
        for core in range(cores):
            main = SectionBuilder()
            main.emit("halt")
            writer.add_core(Program(core, (GROUP,), main=main.finish()), [np.full((2, 3), core, np.int8)])
        with writer.add_file("inputs.npz") as file:
            write_npz(file, {"x": np.arange(cores)})
        writer.finish(Manifest(Arch(name="a", cores=8), (), (), (), 0, default_input="inputs.npz"))


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    return place


def emptied(place):
    for path in sorted(place.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


@pytest.mark.few(1)
@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("old", [0, 3])
def test_writing_an_image(place, old, torn):
    out, count = place / "image", 0

    def prepare():
        emptied(place)
        if old:
            write(out, old)

    for _ in deaths(prepare, lambda _: write(out, 2), torn):
        count += 1
        if out.exists():
            image = open_image(out)  # which compares all digests
            assert len(image.cores) in (old, 2) and len(read_npz(out / "inputs.npz")["x"]) == len(image.cores)
        else:
            assert not old
        write(out, 4)
        assert len(open_image(out).cores) == 4 and [path.name for path in place.iterdir()] == ["image"]
    assert count > 25


@pytest.mark.few(1)
@pytest.mark.parametrize("torn", [False, True])
def test_sealing(place, torn):
    out, states = place / "image", set()

    def prepare():
        emptied(place)
        write(out, 1)
        (out / "core_0000.xbar").write_bytes(bytes(range(1, 33)))

    for _ in deaths(prepare, lambda _: seal(out), torn):
        states.add(changed := seal(out))
        assert changed in (0, 1) and open_image(out).weights(0)[0][0, 0] == 1
        assert not list(out.glob("*unfinished*"))
    assert states == {0, 1}


def test_an_image_is_replaced_although_sealing_it_was_killed(place):
    out = place / "image"

    def prepare():
        emptied(place)
        write(out, 1)

    for _ in deaths(prepare, lambda _: seal(out)):
        write(out, 2)
        assert len(open_image(out).cores) == 2 and [path.name for path in place.iterdir()] == ["image"]


@pytest.mark.full
def test_writing_text(place, tmp_path):
    write(tmp_path / "image", 2)
    folder = place / "text"
    for _ in deaths(lambda: emptied(place), lambda _: disassemble(tmp_path / "image", folder)):
        if not folder.exists():
            disassemble(tmp_path / "image", folder)
        assemble(folder, tmp_path / "again")
        assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == {
            path.name: path.read_bytes() for path in (tmp_path / "image").iterdir()
        }
        (place / "text" / "chip.asm").unlink()

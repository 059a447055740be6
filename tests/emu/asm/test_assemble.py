"""Assembling and disassembling images: hand-written sets, files beside the text, identity, faults with lines."""

from pathlib import Path

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies_programs import ARCH, programs
from tensors import tensor

from emu.asm.assembler import assemble
from emu.asm.disassembler import disassemble
from emu.asm.set_printer import print_image, print_program
from emu.errors import InputError, ProgramError
from emu.image.manifest import Manifest, ModelInfo, ReadOnlySpec, TensorOrigin
from emu.image.npz import write_npz
from emu.image.reader import open_image
from emu.image.writer import ImageWriter
from emu.isa.dtypes import DType
from emu.program.program import Program

CHIP = """\
arch "chip.toml"
default_input "x.npz"
golden "y.npz"
golden_source "by hand"
model "net" sha256 "{sha}"
input "x" f32[1, 2] at 0
output "y" f32[1, 2] at 8
readonly "r" i16[2, 2] at 16 from "r.npy"

core 3 {{
  group 0 i8.i8.i32 rows 2 cols 3 weights "w.npy"
  group 1 f32.f32.f32 rows 2 1 cols 1 weights "w.raw"
  data 16 file "d.bin"
  main {{
    ld l[0], g[0], 8
    st g[8], l[0], 8
    halt
  }}
}}
""".format(sha="0f" * 32)


@pytest.fixture
def source(tmp_path):
    directory = tmp_path / "src"
    directory.mkdir()
    (directory / "chip.asm").write_text(CHIP)
    (directory / "chip.toml").write_text('[chip]\nname = "mine"\ncores = 4\n')
    (directory / "d.bin").write_bytes(b"abc")
    np.save(directory / "w.npy", np.arange(6, dtype=np.int8).reshape(2, 3))
    np.save(directory / "r.npy", np.arange(4, dtype=np.int16).reshape(2, 2))
    np.arange(3, dtype="<f4").tofile(directory / "w.raw")
    write_npz(directory / "x.npz", {"x": np.ones((1, 1, 2), np.float32)})
    write_npz(directory / "y.npz", {"y": np.ones((1, 1, 2), np.float32)})
    return directory


def content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.parametrize("name", ["", "chip.asm"])
def test_an_image_from_text_and_files(source, tmp_path, name):
    manifest = assemble(source / name, tmp_path / "out")
    image = open_image(tmp_path / "out")
    assert image.manifest == manifest
    assert (image.arch.name, image.cores, manifest.global_size, manifest.golden_source) == ("mine", [3], 24, "by hand")
    assert image.program(3).data[0].content == b"abc"
    assert image.weights(3)[0][:, :3].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert image.weights(3)[1][:, 0].tolist() == [0, 1, 2]
    assert image.default_inputs()["x"].tolist() == [[[1, 1]]]
    assert image.golden()["y"].tolist() == [[[1, 1]]]
    assert [(name, at, bytes(data)) for name, at, data in image.read_only()] == [("r", 16, b"\0\0\1\0\2\0\3\0")]


def test_a_disassembly_assembles_to_the_same_image(source, tmp_path):
    assemble(source, tmp_path / "out")
    text = disassemble(tmp_path / "out", tmp_path / "asm")
    assert text == str(tmp_path / "asm" / "chip.asm")
    names = ["chip.asm", "core_0003_g0.npy", "core_0003_g1.npy", "r.npy", "x.npz", "y.npz"]
    assert sorted(content(tmp_path / "asm")) == names
    assemble(tmp_path / "asm", tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "out")


def test_text_without_files(source, tmp_path):
    assemble(source, tmp_path / "out")
    image = open_image(tmp_path / "out")
    assert disassemble(tmp_path / "out") == print_image(image)
    assert disassemble(tmp_path / "out", core=3) == print_program(image.program(3))
    with pytest.raises(ProgramError, match="core 1 has no program"):
        disassemble(tmp_path / "out", core=1)


def test_used_directories_are_not_overwritten(source, tmp_path):
    assemble(source, tmp_path / "out")
    with pytest.raises(InputError, match="src exists and is not an empty directory"):
        disassemble(tmp_path / "out", source)
    with pytest.raises(InputError, match="one core alone cannot be assembled again"):
        disassemble(tmp_path / "out", tmp_path / "asm", core=3)
    with pytest.raises(InputError, match="is not empty and holds no image"):
        assemble(source, source)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "l[0], 8\n    halt",
            "l[r40], 8\n    halt",
            r"chip.asm:16: core 3: st: register r40 does not exist, there are 32",
        ),
        ("ld l[0], g[0], 8", "send core 2, l[0], 8", r"chip.asm:15: core 3: send: core 2 has no program"),
        ("ld l[0], g[0], 8", "vvadd.bool l[0], l[0], l[0], 8", r"chip.asm:15: core 3: vvadd.bool: does not exist for"),
        ("core 3", "core 4", r"chip.asm: core 4: the architecture has cores 0 to 3"),
        ("cols 3", "cols 300", r"chip.asm: core 3: group 0 has a col tile of 300"),
        ("cols 3", "cols 4", r"core 3: group 0 has weights int8\[2, 3\], expected int8\[2, 4\]"),
        ("rows 2 1", "rows 2", r"w.raw: has 12 bytes, a raw matrix of the group has 8"),
        ('"w.npy"', '"v.npy"', r"chip.asm: there is no file 'v.npy' beside it"),
        ('"w.npy"', '"../w.npy"', r"chip.asm:11:43: \"../w.npy\" is not the name of a file in the same directory"),
        ('"d.bin"', '"e.bin"', r"chip.asm: there is no file 'e.bin' beside it"),
        ('"chip.toml"', '"d.toml"', r"chip.asm: there is no file 'd.toml' beside it"),
        ('"x.npz"', '"z.npz"', r"chip.asm: there is no file 'z.npz' beside it"),
        ('"r.npy"', '"s.npy"', r"chip.asm: there is no file 's.npy' beside it"),
        ('"r.npy"', '"w.npy"', r"w.npy: read-only tensor 'r' is \|i1\[2, 3\], expected <i2\[2, 2\]"),
        ('"r.npy"', '"x.npz"', r"x.npz is no readable .npy file"),
        ('"r.npy"', '"core_0003.prog"', r"chip.asm: there is no file"),
        ("at 16 from", "at 12 from", r"read-only tensor 'r', \[12, 20\) of global memory, overlaps tensor 'y'"),
        ("at 16 from", f"at {1 << 40} from", r"global_size: expected an integer from 0 to"),
        (
            'readonly "r"',
            'global 20\nreadonly "r"',
            r"read-only tensor 'r' is \[16, 24\) of a global memory in use of 20 bytes",
        ),
        ("0f0f", "0g0f", r"model.sha256: expected a SHA-256 of 64 hexadecimal digits"),
        (
            'input "x"',
            'global 12\ninput "x"',
            r"outputs\[0\]: a tile is \[8, 16\) of a global memory in use of 12 bytes",
        ),
    ],
)
def test_faults_are_named_and_nothing_is_left(source, tmp_path, old, new, message):
    text = (source / "chip.asm").read_text()
    assert old in text
    (source / "chip.asm").write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        assemble(source, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["src"]


def test_missing_and_binary_sources(tmp_path):
    with pytest.raises(ProgramError, match=r"none.asm does not exist"):
        assemble(tmp_path / "none.asm", tmp_path / "out")
    (tmp_path / "b.asm").write_bytes(b"\xff\xff")
    with pytest.raises(ProgramError, match=r"b.asm, line 1: not UTF-8 text"):
        assemble(tmp_path / "b.asm", tmp_path / "out")


@given(st.data())
@settings(max_examples=examples(8, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_image_survives_text(tmp_path_factory, data):
    tmp_path = tmp_path_factory.mktemp("images")
    made = tensor("x", (4,), DType.i8, (4, 1, 1), ("C",), ((0, 4), 0))
    with ImageWriter(tmp_path / "out") as writer:
        rng = np.random.default_rng(data.draw(st.integers(0, 99)))
        for core in range(ARCH.cores):  # programs may name any of them as peer
            program = data.draw(programs(core)) if core < 2 else Program(core)
            shapes = ((g.rows, g.cols, g.weight.numpy) for g in program.groups if not g.shares)
            writer.add_core(program, [rng.integers(0, 9, shape[:2]).astype(shape[2]) for shape in shapes])
        told = {
            "tensors": (TensorOrigin("t", "n"), TensorOrigin('u"', "n", "fused into node 'm'")),
            "warnings": ("NaN",),
        }
        shape, dtype = tuple(data.draw(st.lists(st.integers(0, 3), max_size=3))), data.draw(st.sampled_from(DType))
        spec = ReadOnlySpec("w", dtype, shape, data.draw(st.integers(4, 9)), data.draw(st.sampled_from(("w", "w.npy"))))
        writer.add_read_only(spec, rng.integers(0, 2, shape).astype(dtype.numpy))
        writer.finish(Manifest(ARCH, (), (made,), (), 256, ModelInfo("net"), options={"k": "v"}, **told))
    disassemble(tmp_path / "out", tmp_path / "asm")
    assemble(tmp_path / "asm", tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "out")

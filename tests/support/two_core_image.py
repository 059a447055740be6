"""An image of two cores, inputs and golden values, written by hand."""

import json
from pathlib import Path

import numpy as np
from strategies_programs import ARCH
from tensors import tensor

from emu.image.manifest import Manifest, ModelInfo, TensorOrigin
from emu.image.npz import write_npz
from emu.image.writer import ImageWriter
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program

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


def content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def edit_manifest(out: Path, edit) -> None:
    path = out / "manifest.json"
    record = json.loads(path.read_text())
    edit(record)
    path.write_text(json.dumps(record))

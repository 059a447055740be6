"""Summaries: memory, crossbars and messages read from columns, against a plain count."""

import pytest

from emu.arch import Arch, Crossbar
from emu.census.footprint import memory_high_water, written_ranges
from emu.image.manifest import Manifest
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.operands.accesses import make_accesses
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Data, Program, Source
from launch.info.summary import summarise
from launch.info.text import total_line

SOURCES = (Source("conv"), Source("conv", "channels 0-3"), Source("relu"))


def sender(core: int = 0, peer: int = 1) -> Program:
    """mvmul, relu and send in a loop of 5; the highest access is the relu's."""
    build = SectionBuilder()
    with build.loop(5):
        walk = Address(1000, (Term(0, 64),))
        build.source = 0
        build.emit("mvmul", (DType.f32, DType.f32), (walk, Address(0)), group=0)
        build.source = 2
        build.emit("vrelu", (DType.f32,), (walk, walk), n=16)
        build.source = 1
        build.emit("send", (), (walk,), core=peer, size=64)
    build.emit("halt")
    groups = (GroupSpec(DType.f32, DType.f32, DType.f32, (20,), (16,)),)
    return Program(core, groups, main=build.finish(), sources=SOURCES)


def manifest(**arch: object) -> Manifest:
    return Manifest(Arch(**arch), (), (), (), 4096)


def test_nodes_and_cores() -> None:
    crossbar = Crossbar(32, 32, cell_bits=8)
    summary = summarise(manifest(crossbar=crossbar), {0: sender(), 3: sender(3, 0)})
    values = summary.to_dict()
    nodes = {node["node"]: node for node in values["nodes"]}
    assert nodes["conv"]["cores"] == nodes["relu"]["cores"] == [0, 3]
    assert (nodes["conv"]["crossbars"], nodes["relu"]["crossbars"]) == (8, 0)  # 31 bits in slices of 8
    assert (nodes["conv"]["messages"], nodes["conv"]["message_bytes"]) == (10, 640)
    assert (nodes["conv"]["memory"], nodes["relu"]["memory"]) == (640, 640)  # 5 x 64 bytes on 2 cores
    core = values["cores"][0]
    assert (core["nodes"], core["memory"], core["weight_bytes"]) == (["conv", "relu"], 1000 + 5 * 64, 20 * 16 * 4)
    assert values["cell_share"] == pytest.approx(20 * 16 / 32**2)
    assert values["byte_hops"] == 5 * 64 * (1 + 3)
    assert "2 of 1024 cores hold a program; 8 crossbars" in total_line(summary)


def test_memory_counts_data_and_state() -> None:
    assert memory_high_water(Program(0)) == 0
    assert memory_high_water(Program(0, data=(Data(100, b"1234"),), state=((50, 10),))) == 104
    assert memory_high_water(Program(0, state=((500, 10),))) == 510


def test_memory_of_operands_that_run_downwards() -> None:
    build = SectionBuilder()
    build.emit("vmv", (DType.f32,), (Address(100, (), -1, -1), Address(0)), n=5)  # elements at 100, 96, .. 84
    program = Program(0, main=build.finish())
    assert memory_high_water(program) == 104
    accesses = make_accesses(program.main, program.groups)
    assert [part.tolist() for part in written_ranges(accesses)] == [[0], [84], [104]]

"""Whole programs: what comes before `main`, several cores, events, addresses of global memory beyond 32 bits."""

import numpy as np
import pytest
from draws import examples
from exported_runs import imported, run_image, second_outputs
from hypothesis import given, settings
from hypothesis import strategies as st
from images import byte_tensor

from emu.arch import Arch, Core, GlobalMemory
from emu.image.manifest import Manifest
from emu.image.npz import write_npz
from emu.image.reader import open_image
from emu.image.writer import ImageWriter
from emu.interop.pim_isa.exporting.core import lower_core
from emu.interop.pim_isa.exporting.crossbars import cells_of
from emu.interop.pim_isa.exporting.export import export_image
from emu.interop.pim_isa.exporting.memory import Constants
from emu.interop.pim_isa.isa import CODES
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Data, Program

I8 = (DType.i8,)
STATES = st.sampled_from([(), ((4, 8),), ((16, 4), (40, 32))])


def image_of(out, programs, given, made, size):
    """An image whose input is 0, 1, 2, ..."""
    arch = Arch(name="test", cores=4, core=Core(local_memory=1 << 16), global_memory=GlobalMemory(1 << 36))
    sample = np.arange(given.nbytes, dtype=np.uint8).reshape(1, *given.shape)
    with ImageWriter(out) as writer:
        for program in programs:
            writer.add_core(program, [])
        with writer.add_file("inputs.npz") as file:
            write_npz(file, {given.name: sample})
        writer.finish(Manifest(arch, (), (given,), (made,), size, default_input="inputs.npz"))
    return {given.name: sample[0]}


def agree(tmp_path, sample):
    """Our run of `image`, the second opinion on its export, and our run of what is imported of that."""
    image = tmp_path / "image"
    wanted = run_image(image)["y"]
    assert wanted.any()
    export_image(open_image(image), tmp_path / "export")
    assert np.array_equal(second_outputs(image, tmp_path / "export", sample)["y"], wanted)
    assert np.array_equal(run_image(imported(tmp_path / "export" / "program.json", tmp_path / "again"))["y"], wanted)


def test_data_state_and_init_come_first(tmp_path):
    init, main = SectionBuilder(), SectionBuilder()
    init.emit("lldi", (), (Address(40),), byte=7, size=8)
    init.emit("vvadd", I8, (Address(48), Address(40), Address(0)), n=8)
    init.emit("halt")
    main.emit("ld", (), (Address(64), Address(0)), size=8)
    for place in (0, 4, 40, 48, 56):  # data in two pieces, what init wrote, state
        main.emit("vvadd", I8, (Address(64), Address(64), Address(place)), n=8)
    main.emit("st", (), (Address(8), Address(64)), size=8)
    main.emit("halt")
    data = (Data(4, bytes(range(10, 18))), Data(0, b"\1\2\3\4"))
    program = Program(0, (), data, ((56, 8),), init.finish(), main.finish())
    sample = image_of(tmp_path / "image", [program], byte_tensor("x", 8, 0), byte_tensor("y", 8, 8), 16)
    agree(tmp_path, sample)


@settings(max_examples=examples(8, 100))
@given(st.lists(st.tuples(st.integers(0, 60), st.binary(max_size=12)), min_size=1, max_size=6), STATES)
def test_of_data_that_overlap_the_last_holds_and_state_begins_with_it(tmp_path_factory, pieces, state):
    main = SectionBuilder()
    main.emit("lldi", (), (Address(80),), byte=1, size=80)
    main.emit("vvadd", I8, (Address(80), Address(80), Address(0)), n=80)
    main.emit("st", (), (Address(8), Address(80)), size=80)
    main.emit("halt")
    data = (Data(0, bytes(80)), *(Data(*piece) for piece in pieces))
    for order in (data, data[:1] + data[:0:-1]):
        program = Program(0, (), order, state, SectionBuilder().finish(), main.finish())
        folder = tmp_path_factory.mktemp("overlapping")
        sample = image_of(folder / "image", [program], byte_tensor("x", 8, 0), byte_tensor("y", 80, 8), 88)
        agree(folder, sample)


def test_messages_and_events_of_cores(tmp_path):
    first, second, third = SectionBuilder(), SectionBuilder(), SectionBuilder()
    first.emit("ld", (), (Address(0), Address(0)), size=24)
    with first.loop(3):
        first.emit("send", (), (Address(0, (Term(0, 8),)),), core=2, size=8)
        first.emit("sync", core=3, event=5)
    with second.loop(3):
        second.emit("recv", (), (Address(100),), core=0, size=8)
        second.emit("vvadd", I8, (Address(100), Address(100), Address(100)), n=8)
        second.emit("st", (), (Address(24, (Term(0, 8),)), Address(100)), size=8)
    second.emit("sync", core=3, event=6)
    third.emit("wait", event=5, value=2)
    third.emit("wait", event=5, value=1)
    third.emit("wait", event=6, value=1)
    third.emit("ld", (), (Address(0), Address(24)), size=24)
    third.emit("vvadd", I8, (Address(0), Address(0), Address(0)), n=24)
    third.emit("st", (), (Address(48), Address(0)), size=24)
    for section in (first, second, third):
        section.emit("halt")
    programs = [Program(core, main=section.finish()) for core, section in ((0, first), (2, second), (3, third))]
    sample = image_of(tmp_path / "image", programs, byte_tensor("x", 24, 0), byte_tensor("y", 24, 48), 72)
    agree(tmp_path, sample)


@pytest.mark.parametrize("step", [0, (1 << 32) - 8])
def test_pairs_of_registers_have_all_bits(tmp_path, step):
    """Addresses that need the upper word: `ld` of a loop passes 2^31 and 2^32."""
    section = SectionBuilder()
    with section.loop(3):
        section.emit("ld", (), (Address(0), Address((1 << 31) - 8, (Term(0, step),))), size=8)
    section.emit("halt")
    arch = Arch(name="test")
    program = Program(0, main=section.finish())
    lowered = lower_core(program, arch, cells_of(arch, ()), Constants(1 << 34), "x")
    registers, found = [0] * 32, []
    for piece in lowered.pieces():
        for op, rd, rs1, imm in zip(
            *(getattr(piece.columns, name).tolist() for name in ("op", "rd", "rs1", "imm")), strict=True
        ):
            if op == CODES["sldi"]:
                registers[rd] = imm
            else:
                found.append((registers[rs1] << 32) + (registers[rs1 + 1] & 0xFFFFFFFF))
    assert found == [(1 << 31) - 8 + k * step for k in range(3)]

"""Program -> text -> program and text -> program -> text are identities."""

from dataclasses import replace

import numpy as np
import pytest
from asm_texts import parse_program, print_program_set
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_archs import archs
from strategies_programs import ARCH, NAMES, forms, programs
from tensors import cuts, tensor

from emu.arch.read import load_arch, preset_names
from emu.asm.program_set import CoreText, ProgramSet
from emu.asm.set_parser import parse_program_set
from emu.asm.set_printer import print_program
from emu.image.manifest import ModelInfo, ReadOnlySpec, TensorSpec, TensorTile
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Data, Program, Source
from emu.program.validate import validate_program


@given(programs())
@settings(max_examples=examples(40, 100))
def test_programs_survive_text(program):
    text = print_program(program)
    again = parse_program(text, "text")
    assert again == program
    validate_program(again, ARCH, "text")
    assert print_program(again) == text


@st.composite
def weights(draw, group, index):
    if draw(st.booleans()):
        return f"g{index}.npy"
    elements = st.floats(width=16) if group.weight.is_float else st.integers(0, 100)
    values = draw(st.lists(elements, min_size=group.rows * group.cols, max_size=group.rows * group.cols))
    return np.array(values, group.weight.numpy).reshape(group.rows, group.cols)


@st.composite
def program_sets(draw):
    cores = []
    for core in sorted(draw(st.sets(st.integers(0, 7), max_size=2))):
        program = draw(programs(core))
        cores.append(
            CoreText(program, tuple(draw(weights(g, i)) for i, g in enumerate(program.groups) if not g.shares))
        )
    form = draw(forms())
    boxes = draw(cuts(form.whole))
    made = TensorSpec(
        draw(NAMES) + "x",
        form,
        draw(st.sampled_from(list(DType))),
        tuple(TensorTile(box, 512 * place) for place, box in enumerate(boxes)),
    )
    vector = tensor("y", (4,), DType.i8, (4, 1, 1), ("C",), ((0, 4), 0))
    scalar = tensor("z", (), DType.i8, (1, 1, 1), (), ((0, 1), 0))
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    fixed = ReadOnlySpec(draw(NAMES), draw(st.sampled_from(list(DType))), shape, draw(st.integers(0, 99)), "w.npy")
    return ProgramSet(
        draw(st.sampled_from((ARCH, load_arch("tiny"), replace(ARCH, name=draw(NAMES))))),
        draw(st.integers(1024, 4096)),
        (made,),
        (vector, scalar),
        tuple(cores),
        ModelInfo(draw(NAMES), draw(st.sampled_from(("", "ab" * 32)))),
        draw(st.dictionaries(NAMES, NAMES, max_size=2)),
        draw(st.sampled_from(("", "inputs.npz"))),
        draw(st.sampled_from(("", "golden.npz"))),
        draw(NAMES),
        read_only=(fixed, replace(fixed, name=f"{fixed.name}2", file=draw(st.sampled_from(("v", "a b.npy"))))),
    )


@given(program_sets())
@settings(max_examples=examples(13, 100))
def test_program_sets_survive_text(programs_):
    text = print_program_set(programs_)
    again = parse_program_set(text, "text")
    assert print_program_set(again) == text
    for name in (
        "arch",
        "global_size",
        "inputs",
        "outputs",
        "model",
        "options",
        "default_input",
        "golden",
        "read_only",
    ):
        assert getattr(again, name) == getattr(programs_, name)
    for core, other in zip(again.cores, programs_.cores, strict=True):
        assert core.program == other.program
        for mine, theirs in zip(core.weights, other.weights, strict=True):
            assert isinstance(mine, str) == isinstance(theirs, str)
            np.testing.assert_array_equal(mine, theirs)


@given(archs())
def test_architectures_survive_text(arch):
    text = print_program_set(ProgramSet(arch, 0, (), (), ()))
    assert parse_program_set(text, "text").arch == arch


@pytest.mark.parametrize("name", preset_names())
def test_presets_survive_text_by_name(name):
    text = print_program_set(ProgramSet(load_arch(name), 0, (), (), ()))
    assert text.startswith(f"arch {name}\n")
    assert parse_program_set(text, "text").arch == load_arch(name)


def sketch() -> Program:
    """The example of the instruction set's description."""
    f32 = (DType.f32, DType.f32)
    init, main = SectionBuilder(), SectionBuilder()
    init.emit("lldi", (), (Address(0),), byte=0, size=6528)
    main.source = 0
    with main.loop(32) as y:
        main.emit("recv", (), (Address(0, (Term(y, 2176, 2, 3),)),), core=3, size=2176)
        with main.loop(32) as x:
            to = Address(0x8000, (Term(x, 128),))
            main.emit("lldi", (), (to,), byte=0, size=128)
            row = Address(0, (Term(y, 2176, 0, 3), Term(x, 64)))
            main.emit("mvmul", f32, (to, row), ("relu", "acc"), group=0)
        main.source = -1
        main.emit(
            "vsadd", (DType.i8,), (Address(4, reg=3, stride=4), Address(-16, (Term(y, -1),), stride=0)), n=8, imm=-3
        )
        main.emit("vsmul", (DType.f32,), (Address(0), Address(0)), n=8, imm=0.5)
        main.source = 1
        main.emit("vvadd", (DType.i8,), (Address(0),) * 3, ("sat",), n=8)
    main.emit("sld", (), (Address(16),), rd=3)
    main.emit("saddi", rd=1, rs1=3, imm=4)
    main.emit("xbwrite", (DType.f32,), (Address(0),), group=0, row=2, rows=1)
    main.emit("wait", event=2, value=1)
    main.emit("sync", core=9, event=1)
    main.emit("send", (), (Address(0x8000),), core=9, size=4096)
    main.emit("halt")
    return Program(
        7,
        (GroupSpec(DType.f32, DType.f32, DType.f32, (16,), (20, 12)),),
        (Data(64, bytes(range(40))), Data(128, b"\x01")),
        ((256, 16),),
        init.finish(),
        main.finish(),
        (Source("conv1/Conv", "channels 0-31"), Source("add")),
    )


TEXT = """\
core 7 {
  group 0 f32.f32.f32 rows 16 cols 20 12 weights "core_0007_g0.npy"
  data 0x0040 hex {
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    "2021222324252627"
  }
  data 0x0080 hex "01"
  state 0x0100 size 16
  init {
    lldi l[0x0000], 0, 6528                              ; init[0]
  }
  main {
    @ "conv1/Conv" "channels 0-31"
    loop i0 32 {                                         ; main[0]
      recv core 3, l[0x0000 + 2176*((i0 + 2) mod 3)], 2176 ; main[1]
      loop i1 32 {                                       ; main[2]
        lldi l[0x8000 + 128*i1], 0, 128                  ; main[3]
        mvmul.f32.f32 l[0x8000 + 128*i1], l[0x0000 + 2176*(i0 mod 3) + 64*i1], group 0 relu acc ; main[4]
      }
      @ none
      vsadd.i8 l[0x0004 + r3] stride 4, l[-0x0010 - i0] stride 0, 8, -3 ; main[5]
      vsmul.f32 l[0x0000], l[0x0000], 8, 0.5             ; main[6]
      @ "add"
      vvadd.i8.sat l[0x0000], l[0x0000], l[0x0000], 8    ; main[7]
    }
    sld r3, g[0x0010]                                    ; main[8]
    saddi r1, r3, 4                                      ; main[9]
    xbwrite.f32 l[0x0000], group 0, row 2, rows 1        ; main[10]
    wait event 2, 1                                      ; main[11]
    sync core 9, event 1                                 ; main[12]
    send core 9, l[0x8000], 4096                         ; main[13]
    halt                                                 ; main[14]
  }
}
"""


def test_the_text_is_as_documented():
    assert print_program(sketch()) == TEXT
    assert parse_program(TEXT, "text") == sketch()


def test_free_forms_mean_the_same():
    free = """; a comment
    core 7 {
      main { loop y 32 { recv core 3, l[2176*((y + 2) mod 3)], 0x880
                         lldi l[64*(y + 1) + 0x10 - 8], 0, 4
                         loop 3 { nop } } }
    }"""
    build = SectionBuilder()
    with build.loop(32) as y:
        build.emit("recv", (), (Address(0, (Term(y, 2176, 2, 3),)),), core=3, size=2176)
        build.emit("lldi", (), (Address(72, (Term(y, 64),)),), byte=0, size=4)
        with build.loop(3):
            build.emit("nop")
    assert parse_program(free, "text") == Program(7, main=build.finish())

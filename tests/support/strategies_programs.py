"""Random valid programs (they pass `validate_program`; their addresses may well be out of range)."""

from __future__ import annotations

from itertools import pairwise
from math import prod

from hypothesis import strategies as st
from tensors import cuts

from emu.arch import Arch, Core, Crossbar, GlobalMemory
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS, Family, Instruction, Operand
from emu.isa.table import BY_NAME
from emu.program.builder import SectionBuilder
from emu.program.form import Form, axis_names
from emu.program.group import OWN, GroupSpec
from emu.program.program import BufferSpec, Data, Program, Source
from emu.program.section import Section

ARCH = Arch(
    name="test",
    cores=8,
    core=Core(crossbars=12, local_memory=4096, registers=8, events=4),
    crossbar=Crossbar(rows=6, cols=4),
    global_memory=GlobalMemory(1 << 16),
)
FLOATS = [DType.f32, DType.f16]
INTEGERS = [DType.i8, DType.u8, DType.i16, DType.u16, DType.i32, DType.i64]
PLAIN = [name for name in BY_NAME if name not in ("loop", "halt", "mvmul", "xbwrite")]
NAMES = st.text(st.characters(codec="utf-8"), max_size=6)
FIELDS = {  # matrices and tables of no more elements than local memory has bytes
    "n": st.integers(0, 256),
    "size": st.integers(0, 1 << 40),
    "m": st.integers(0, 13),
    "k": st.integers(0, 13),
    "byte": st.integers(0, 255),
    "entries": st.integers(0, 256),
    "width": st.integers(0, 16),
    "event": st.integers(0, ARCH.core.events - 1),
    "value": st.integers(0, 9),
    **dict.fromkeys(("rd", "rs1", "rs2"), st.integers(0, ARCH.core.registers - 1)),
}


@st.composite
def terms(draw: st.DrawFn, depth: int) -> Term:
    """An address term over one of `depth` counters."""
    stride = draw(st.integers(-300, 300))
    modulus = draw(st.one_of(st.just(0), st.integers(1, 5)))
    return Term(draw(st.integers(0, depth - 1)), stride, draw(st.integers(-4, 4)) if modulus else 0, modulus)


@st.composite
def addresses(draw: st.DrawFn, depth: int, operand: Operand) -> Address:
    """An address inside `depth` loops; elements that are written do not overlap."""
    stride, pitch = draw(st.sampled_from((1, 0, 3, -2))) if operand.strided else 1, 0
    if operand.pitched:
        stride = stride or -1 if operand.write else stride
        pitch = draw(st.sampled_from((0, 1000, -2000) if operand.write else (0, 1, -7, 1000)))
    return Address(
        draw(st.one_of(st.integers(0, 4096), st.integers(-(1 << 40), 1 << 40))),
        tuple(draw(st.lists(terms(depth), max_size=3))) if depth else (),
        draw(st.integers(-1, ARCH.core.registers - 1)),
        stride,
        pitch,
    )


def immediates(spec: Instruction, types: list[DType]) -> st.SearchStrategy[float]:
    """What the immediate of an instruction may be."""
    if spec.family is Family.SCALAR:
        return st.integers(-(1 << 31), (1 << 31) - 1).map(float)
    if types[0].is_float:
        return st.floats()
    return st.integers(-(1 << 53), 1 << 53).map(float)


@st.composite
def groups(draw: st.DrawFn) -> tuple[GroupSpec, ...]:
    """Up to two array groups that fit `ARCH`."""
    found = []
    for _ in range(draw(st.integers(0, 2))):
        kinds = draw(st.sampled_from((FLOATS, INTEGERS)))
        dtypes = [draw(st.sampled_from(kinds)) for _ in range(3)]
        rows = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
        cols = draw(st.lists(st.integers(1, 4), min_size=1, max_size=2))
        places = (OWN, OWN, 0, 2) if len(rows) * len(cols) <= 4 else (OWN, OWN, 0)
        bank = draw(st.sampled_from(places))
        found.append(GroupSpec(*dtypes, tuple(rows), tuple(cols), draw(st.sampled_from((0, 64, 128))), bank))
    return tuple(found)


@st.composite
def sections(draw: st.DrawFn, core: int, specs: tuple[GroupSpec, ...], sources: int) -> Section:
    """A section of a few instructions and loops."""
    build = SectionBuilder()
    _body(draw, build, core, specs, sources)
    if draw(st.booleans()):
        build.emit("halt")
    return build.finish()


def _body(draw: st.DrawFn, build: SectionBuilder, core: int, specs: tuple[GroupSpec, ...], sources: int) -> None:
    for _ in range(draw(st.integers(0, 3))):
        build.source = draw(st.integers(-1, sources - 1))
        kind = draw(st.sampled_from(("loop", "group", "plain", "plain")))
        if kind == "loop" and build.depth < 4:
            with build.loop(draw(st.integers(0, 5))):
                _body(draw, build, core, specs, sources)
        elif kind == "group" and specs:
            _emit_group(draw, build, specs)
        else:
            _emit_plain(draw, build, core)


def _emit_group(draw: st.DrawFn, build: SectionBuilder, specs: tuple[GroupSpec, ...]) -> None:
    index = draw(st.integers(0, len(specs) - 1))
    spec, place = specs[index], addresses(build.depth, BY_NAME["mvmul"].operands[0])
    if draw(st.booleans()):
        flags = draw(st.sampled_from(((), ("relu",), ("acc",), ("relu", "acc"))))
        build.emit("mvmul", (spec.input, spec.output), (draw(place), draw(place)), flags, group=index)
    else:
        row = draw(st.integers(0, spec.rows))
        rows = draw(st.integers(0, spec.rows - row))
        build.emit("xbwrite", (spec.weight,), (draw(place),), group=index, row=row, rows=rows)


def _emit_plain(draw: st.DrawFn, build: SectionBuilder, core: int) -> None:
    spec = BY_NAME[draw(st.sampled_from(PLAIN))]
    dtypes = [draw(st.sampled_from(sorted(legal))) for legal in spec.accepts]
    if spec.alike and len({dtype.is_float for dtype in dtypes}) > 1:
        dtypes = [dtypes[0]] * len(dtypes)
    operands = [draw(addresses(build.depth, operand)) for operand in spec.operands]
    fields: dict[str, float] = {}
    for name in spec.fields:
        if name == "imm":
            fields[name] = draw(immediates(spec, dtypes))
        elif name == "core":
            fields[name] = draw(st.integers(0, ARCH.cores - 1).filter(lambda peer: peer != core))
        else:
            fields[name] = draw(FIELDS[name])
    fields |= {name: min(fields[name], fields[bound]) for name, bound in spec.at_most}
    suffixes = [suffix for suffix in spec.suffixes if not spec.refusal(dtypes, FLAG_BITS[suffix])]
    flags = draw(st.sampled_from([(), *((suffix,) for suffix in suffixes)]))
    build.emit(spec.name, dtypes, operands, flags, **fields)


@st.composite
def buffers(draw: st.DrawFn, main: Section) -> BufferSpec:
    """A kept buffer of `main`, complete outside of its loops."""
    dtype, complete = draw(st.sampled_from(list(DType))), draw(st.sampled_from([*main.children(), len(main)]))
    form = draw(forms())
    box = draw(st.sampled_from(draw(cuts(form.whole))))
    return BufferSpec(draw(NAMES) + "t", form, box, dtype, draw(st.integers(0, 2000)), complete)


@st.composite
def forms(draw: st.DrawFn) -> Form:
    """Any layout of a tensor of five channels and up to three other axes."""
    extent = (5, *draw(st.lists(st.integers(1, 3), min_size=2, max_size=3)))
    names = axis_names(len(extent))
    axes = draw(st.permutations([axis for axis, size in zip(names, extent, strict=True) if size > 1]))
    cuts = sorted(draw(st.lists(st.integers(0, len(axes)), max_size=3)))
    layout = tuple("".join(axes[a:b]) for a, b in pairwise([0, *cuts, len(axes)]))
    shape = tuple(prod(extent[names.index(axis)] for axis in part) for part in layout)
    return Form(shape, extent, layout)


@st.composite
def programs(draw: st.DrawFn, core: int | None = None) -> Program:
    """A whole program for `ARCH`."""
    number = draw(st.integers(0, ARCH.cores - 1)) if core is None else core
    specs = draw(groups())
    sources = tuple(draw(st.lists(st.builds(Source, NAMES, NAMES), max_size=3)))
    main = draw(sections(number, specs, len(sources)))
    return Program(
        number,
        specs,
        tuple(draw(st.lists(st.builds(Data, st.integers(0, 4000), st.binary(max_size=70)), max_size=2))),
        tuple(draw(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 96)), max_size=2))),
        draw(sections(number, specs, len(sources))),
        main,
        sources,
        tuple(draw(st.lists(buffers(main), max_size=2))),
    )

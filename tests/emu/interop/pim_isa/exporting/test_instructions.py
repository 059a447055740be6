"""Each instruction that is exported computes in PIM-ISA what ours does, to the second opinion and to our import."""

import tempfile
from pathlib import Path

import numpy as np
from draws import examples
from exported_runs import LOCAL, imported, one_core_image, run_image, second_run
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.arch import Arch, Core, Crossbar
from emu.interop.pim_isa.exporting.lowering import LOWERING
from emu.isa.address import Address, Term
from emu.isa.dtypes import INTEGERS, DType
from emu.isa.table import BY_NAME
from emu.program.group import GroupSpec

ARCH = Arch(name="test", cores=1, core=Core(crossbars=512, local_memory=1 << 16), crossbar=Crossbar(6, 4))
SPAN = 1000  # bytes that an operand reaches, from a multiple of it on
NOT_HERE = ("mvmul", "ld", "st", "send", "recv", "sync", "wait", "vcvt", "vrsu", "vrsl", "lmv", "lldi")
ONE_TYPE = sorted(name for name in LOWERING if name not in NOT_HERE)
EXACT_32 = [DType.f32, DType.i32, DType.i16, DType.i8, DType.u8]
IMMEDIATES = {"vsdiv": [1, 2, 3, 7, 0.5, -4], "vlrelu": [0.25, 1, 0.5]}


def values(kind, rng, count):
    """Numbers whose sums and products are exact, some of them negative zeros."""
    if kind.is_float:
        found = rng.integers(-24, 25, count) / 4
        return np.where(rng.random(count) < 0.1, -0.0, found).astype(kind.numpy)
    low = 0 if np.iinfo(kind.numpy).min == 0 else -30
    return rng.integers(low, 31, count).astype(kind.numpy)


def memory(kinds, seed):
    """LOCAL bytes: from each multiple of SPAN on elements of the type of that operand."""
    content, rng = np.zeros(LOCAL, np.uint8), np.random.default_rng(seed)
    for place, kind in enumerate(kinds):
        content[place * SPAN :][:SPAN] = values(kind, rng, SPAN // kind.size).view(np.uint8)[:SPAN]
    return content


@st.composite
def operand(draw, place, kind, count, strided, trips):
    """An address in the area of operand `place`, that stays there in all iterations."""
    stride = draw(st.sampled_from([1, 1, 2, 3, -1] + ([0] if place else []))) if strided else 1
    reach = (count - 1) * stride * kind.size
    room = SPAN - abs(reach) - kind.size
    step = draw(st.integers(0, room // kind.size // max(trips, 1))) * kind.size
    modulus = draw(st.sampled_from([0, 2]))
    return Address(place * SPAN - min(reach, 0), (Term(0, step, 1 if modulus else 0, modulus),), stride=stride)


@st.composite
def cases(draw):
    """An instruction in a loop: its name, types, operands, fields, and the bytes that it works on."""
    name = draw(st.sampled_from(ONE_TYPE))
    spec = BY_NAME[name]
    kinds = [kind for kind in EXACT_32 if kind in spec.accepts[0]]
    if name in ("vvsll", "vvsra"):
        kinds = [kind for kind in kinds if kind in INTEGERS]
    kind, trips = draw(st.sampled_from(kinds)), draw(st.integers(1, 3))
    count = draw(st.integers(1, 4 if name == "vprod" else 20))
    fields = {"n": count}
    if "imm" in spec.fields:
        usual = [-3, 0, 2, 5] + ([0.5, -1.25] if kind.is_float and name != "vsmin" else [])
        number = draw(st.sampled_from(IMMEDIATES.get(name, usual)))
        fields["imm"] = max(int(number), 1) if name == "vsdiv" and not kind.is_float else number
    operands = [
        draw(operand(place, kind, 1 if form.count == "1" else count, form.strided, trips))
        for place, form in enumerate(spec.operands)
    ]
    return name, (kind,), operands, fields, trips, memory([kind] * 3, draw(st.integers(0, 99)))


def both(emit, content, arch=ARCH, groups=(), weights=()):
    """All of local memory after our run and the second opinion's; what is imported again must give our bytes."""
    with tempfile.TemporaryDirectory() as folder:
        image = one_core_image(Path(folder) / "image", arch, emit, content, groups, weights)
        second, _ = second_run(image, Path(folder) / "export")
        ours = run_image(image)["y"].reshape(-1)
        again = imported(Path(folder) / "export" / "program.json", Path(folder) / "again")
        assert np.array_equal(run_image(again)["y"].reshape(-1), ours)
        return ours, second[LOCAL : 2 * LOCAL]


@settings(max_examples=examples(13, 100))
@given(cases())
def test_vectors_of_one_type(case):
    name, kinds, operands, fields, trips, content = case

    def emit(section):
        with section.loop(trips):
            section.emit(name, kinds, operands, **fields)

    ours, theirs = both(emit, content)
    if name in ("vtanh", "vsigm"):
        area = slice(0, SPAN)
        first, second = (memory_[area].view(np.float32) for memory_ in (ours, theirs))
        assert np.allclose(first, second, rtol=1e-6, atol=1e-7, equal_nan=True)
        ours[area], theirs[area] = 0, 0
    assert np.array_equal(ours, theirs)


CONVERSIONS = [
    (DType.i32, DType.f32),
    (DType.f32, DType.i32),
    (DType.f32, DType.i8),
    (DType.i8, DType.f32),
    (DType.u8, DType.i16),
    (DType.i32, DType.u8),
    (DType.f16, DType.f32),
    (DType.f32, DType.f16),
]


@settings(max_examples=examples(10, 40))
@given(st.sampled_from(CONVERSIONS), st.sampled_from(["vcvt", "vrsu", "vrsl"]), st.integers(-9, 9), st.data())
def test_two_types_even_of_one_width(kinds, name, bound, data):
    given, made = kinds
    target, source = (data.draw(operand(place, kind, 9, True, 2)) for place, kind in ((0, made), (1, given)))
    fields = {"n": 9} if name == "vcvt" else {"n": 9, "imm": bound}

    def emit(section):
        with section.loop(2):
            section.emit(name, kinds, (target, source), **fields)
            section.emit("vvadd", (made,), (Address(0), Address(0), Address(0)), n=4)

    ours, theirs = both(emit, memory((made, given), data.draw(st.integers(0, 99))))
    assert np.array_equal(ours, theirs)


@settings(max_examples=examples(5, 40))
@given(st.data())
def test_products_of_any_shape(data):
    kinds = data.draw(
        st.sampled_from([(DType.f32,) * 3, (DType.i8, DType.i8, DType.i32), (DType.u8, DType.i8, DType.i16)])
    )
    rows = tuple(data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)))
    cols = (*[4] * data.draw(st.integers(0, 2)), data.draw(st.integers(1, 4)))
    group = GroupSpec(*kinds, rows, cols)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    weights = values(kinds[1], rng, group.rows * group.cols).reshape(group.rows, group.cols)
    flags = data.draw(st.lists(st.sampled_from(["acc", "relu"]), unique=True))
    bits = data.draw(st.sampled_from([0, 2, 8]))
    arch = Arch(name="test", cores=1, core=ARCH.core, crossbar=Crossbar(6, 16 if bits == 2 else 8, bits))
    steps = [data.draw(st.integers(0, 20)) * kind.size for kind in (kinds[2], kinds[0])]
    meeting = data.draw(st.booleans()) and kinds[0] is kinds[2] and group.rows == group.cols
    bases = (0, 0) if meeting else (0, SPAN)
    steps = [steps[0]] * 2 if meeting else steps
    operands = [Address(base, (Term(0, step),)) for base, step in zip(bases, steps, strict=True)]

    def emit(section):
        with section.loop(3):
            section.emit("mvmul", (kinds[0], kinds[2]), operands, flags, group=0)

    ours, theirs = both(emit, memory((kinds[2], kinds[0]), 1), arch, (group,), (weights,))
    assert np.array_equal(ours, theirs)


def test_a_product_in_place_of_its_input():
    group = GroupSpec(DType.f32, DType.f32, DType.f32, (6, 2), (4, 4))
    weights = values(DType.f32, np.random.default_rng(0), 64).reshape(8, 8)

    def emit(section):
        section.emit("mvmul", (DType.f32, DType.f32), (Address(0), Address(0)), group=0)

    ours, theirs = both(emit, memory((DType.f32,), 5), ARCH, (group,), (weights,))
    assert ours[:32].any()
    assert np.array_equal(ours, theirs)


def test_moves_of_bytes():
    def emit(section):
        with section.loop(3):
            section.emit("lmv", (), (Address(10, (Term(0, 100),)), Address(1000, (Term(0, 7),))), size=33)
            section.emit("lmv", (), (Address(2000), Address(2005)), size=20)  # memmove
            section.emit("lldi", (), (Address(3000, (Term(0, 50),)),), byte=200, size=9)
        with section.loop(0):
            section.emit("vexp", (DType.f32,), (Address(0), Address(0)), n=1)  # never runs, so it may be anything
        section.emit("nop")

    ours, theirs = both(emit, np.arange(LOCAL).astype(np.uint8))
    assert np.array_equal(ours, theirs)

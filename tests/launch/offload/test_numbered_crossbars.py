"""The levels `memristor` and calls: the same bits and the same costs as `cim`, whatever crossbars are used for."""

import re
from pathlib import Path

import numpy as np
import pytest
from crossbar_texts import crossbar_texts
from draws import examples
from hypothesis import given, reject, settings
from random_texts import texts

from compiler.interpreter.host.crossbars import NumpyCrossbars
from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import RECIPES, TO_CALLS
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError
from launch.devices.device import device
from launch.offload.crossbars import DeviceCrossbars

SMALL = Arch(name="small", cores=4, core=Core(crossbars=4096), crossbar=Crossbar(4, 4))
CONTEXT = OffloadContext(SMALL, 2)
LEVELS = ("cim", "memristor", "calls")
ANY = "strided<[?, ?], offset: ?>"


def read(text):
    return HostProgram.read(Path("host.mlir"), text.encode(), CONTEXT)


@settings(max_examples=examples(6, 300))
@given(text=crossbar_texts())
def test_numbers_stand_for_the_crossbars_that_values_stood_for(text):
    program = read(text)
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-90, 90, each.shape).astype(each.dtype) for each in program.inputs]
    (wanted,) = program.run(arrays)
    for level in LEVELS[1:]:
        try:
            lowered = program.lowered(TO_CALLS, CONTEXT, level)
        except CompileError as refused:  # names that an inner loop swaps may be of a crossbar of before the turn, too
            assert "acquire it before the loop" in str(refused)
            reject()
        for made in (lowered.run(arrays, NumpyCrossbars()), read(lowered.text()).run(arrays)):
            np.testing.assert_array_equal(made[0], wanted)
        assert "cim." not in lowered.text()


@pytest.mark.parametrize(
    ("held", "sums", "calls"),
    [("i8", "i32", ("_i8_i32", "_i32")), ("f16", "f32", ("_f16_f32", "_f32")), ("f16", "f16", ("_f16_f32", "_f32"))],
)
def test_widened_products_are_calls_of_one_type_with_the_same_bits(held, sums, calls):
    given, made = f"tensor<12x12x{held}>", f"tensor<12x12x{sums}>"
    program = read(
        f"func.func @main(%a: {given}, %b: {given}, %c: {made}) -> {made} {{\n"
        f"%r = linalg.matmul ins(%a, %b : {given}, {given}) outs(%c : {made}) -> {made}\n"
        f"return %r : {made}\n}}"
    )
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-8, 8, each.shape).astype(each.dtype) for each in program.inputs]
    for entry, suffix in zip(("cim-to-memristor", "cim-to-memristor{widen}"), calls, strict=True):
        passes = [entry if each == "cim-to-memristor" else each for each in RECIPES["occ"]]
        lowered = program.lowered(passes, CONTEXT, "calls")
        named = set(re.findall(r"@memristor_(?:gemm|write_to_crossbar)(\w+)", lowered.text()))
        assert named == {suffix}
        np.testing.assert_array_equal(lowered.run(arrays, NumpyCrossbars())[0], program.run(arrays)[0])


@pytest.mark.parametrize("recipe", ["occ", "cinnamon"])
@settings(max_examples=examples(4, 60))
@given(made=texts())
def test_each_level_writes_multiplies_and_takes_as_much(recipe, made):
    text, inputs = made
    program = read(text)
    arrays, seen = [inputs[each.name] for each in program.inputs], []
    for level in LEVELS:
        lowered = program.lowered(RECIPES[recipe], CONTEXT, level)
        with device(SMALL, 2, backend="sequential") as chip:
            values = lowered.run(arrays, DeviceCrossbars(chip))
            counters = chip.counters.to_dict()
            costs = chip.simulate().to_dict() if counters["writes"] else None
            seen.append((len(chip.crossbars), counters, costs, [value.tobytes() for value in values]))
    assert seen[0] == seen[1] == seen[2]


def tiled(n, tile, kind, sums=None):
    """OCC's tiled product with few writes, as a compiler of C would have it: subviews, copies, three calls."""
    sums = sums or kind
    suffix = kind if kind == sums else f"{kind}_{sums}"
    strided = f"strided<[{n}, 1], offset: ?>"
    whole, part, view = (f"memref<{shape}" for shape in (f"{n}x{n}x", f"{tile}x{tile}x", "?x?x"))
    add = "addf" if sums == "f32" else "addi"
    same = "affine_map<(d0, d1) -> (d0, d1)>"
    return f"""
func.func private @memristor_write_to_crossbar_{suffix}(i32, {view}{kind}, {ANY}>)
func.func private @memristor_gemm_{suffix}(i32, {view}{kind}, {ANY}>, {view}{sums}, {ANY}>)
func.func private @memristor_barrier(i32)
func.func @main(%a: {whole}{kind}>, %b: {whole}{kind}>, %c: {whole}{sums}>) {{
  %zero = arith.constant 0 : index
  %n = arith.constant {n} : index
  %t = arith.constant {tile} : index
  %x = arith.constant 5 : i32
  scf.for %k = %zero to %n step %t {{
    scf.for %j = %zero to %n step %t {{
      %bs = memref.subview %b[%k, %j] [{tile}, {tile}] [1, 1] : {whole}{kind}> to {part}{kind}, {strided}>
      %bt = memref.alloc() : {part}{kind}>
      memref.copy %bs, %bt : {part}{kind}, {strided}> to {part}{kind}>
      %bd = memref.cast %bt : {part}{kind}> to {view}{kind}, {ANY}>
      func.call @memristor_write_to_crossbar_{suffix}(%x, %bd) : (i32, {view}{kind}, {ANY}>) -> ()
      memref.dealloc %bt : {part}{kind}>
      scf.for %i = %zero to %n step %t {{
        %as = memref.subview %a[%i, %k] [{tile}, {tile}] [1, 1] : {whole}{kind}> to {part}{kind}, {strided}>
        %ad = memref.cast %as : {part}{kind}, {strided}> to {view}{kind}, {ANY}>
        %r = memref.alloc() : {part}{sums}>
        %rd = memref.cast %r : {part}{sums}> to {view}{sums}, {ANY}>
        func.call @memristor_gemm_{suffix}(%x, %ad, %rd) : (i32, {view}{kind}, {ANY}>, {view}{sums}, {ANY}>) -> ()
        func.call @memristor_barrier(%x) : (i32) -> ()
        %cs = memref.subview %c[%i, %j] [{tile}, {tile}] [1, 1] : {whole}{sums}> to {part}{sums}, {strided}>
        linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = ["parallel", "parallel"]}}
            ins(%r : {part}{sums}>) outs(%cs : {part}{sums}, {strided}>) {{
        ^bb0(%e: {sums}, %o: {sums}):
          %s = arith.{add} %e, %o : {sums}
          linalg.yield %s : {sums}
        }}
        memref.dealloc %r : {part}{sums}>
      }}
    }}
  }}
  return
}}
"""


@pytest.mark.parametrize(
    ("kind", "sums"),
    [
        ("i8", None),
        ("i16", None),
        ("i32", None),
        ("i64", None),
        ("f32", None),
        ("i8", "i32"),
        ("i16", "i64"),
        ("f16", "f32"),
    ],
)
def test_a_program_that_calls_the_library_by_hand(kind, sums):
    n, tile = 12, 4
    program = read(tiled(n, tile, kind, sums))
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-90, 90, each.shape).astype(each.dtype) for each in program.inputs]
    a, b, c = (array.astype(np.float64 if kind in ("f16", "f32") else np.int64) for array in arrays)
    wanted = (c + a @ b).astype(arrays[2].dtype)  # in narrow integers sums wrap
    lowered = program.lowered((), CONTEXT, "calls")
    assert (lowered.sites, lowered.candidates) == (1, 1)
    with device(SMALL, 1, backend="sequential") as chip:
        (made,) = lowered.run(arrays, DeviceCrossbars(chip))
        counters = chip.counters
        assert (counters.writes, counters.products) == ((n // tile) ** 2, (n // tile) ** 3)
        assert len(chip.crossbars) == 1
    np.testing.assert_array_equal(made, wanted)
    np.testing.assert_array_equal(program.run(arrays)[0], wanted)  # what was written may be freed, or overwritten


TURNS = """
func.func @main(%a: tensor<2x4xi8>, %b: tensor<4x4xi8>, %o: memref<2x4xi8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 50 : index
  scf.for %i = %zero to %many step %one {
    %x = cim.acquire : !cim.crossbar<tensor<4x4xi8>, i8>
    cim.write(%x, %b) : !cim.crossbar<tensor<4x4xi8>, i8>, tensor<4x4xi8>
    %f = cim.gemm(%x, %a) : (!cim.crossbar<tensor<4x4xi8>, i8>, tensor<2x4xi8>) -> !cim.future<tensor<2x4xi8>>
    %v = cim.barrier(%f) : (!cim.future<tensor<2x4xi8>>) -> tensor<2x4xi8>
    bufferization.materialize_in_destination %v in writable %o : (tensor<2x4xi8>, memref<2x4xi8>) -> ()
  }
  return
}
"""


def test_a_loop_that_acquires_in_every_turn_and_releases_nothing_does_not_run_out():
    arch = Arch(name="one", cores=1, core=Core(crossbars=4), crossbar=Crossbar(4, 4))
    program, rng = read(TURNS), np.random.default_rng(0)
    arrays = [rng.integers(-9, 9, each.shape).astype(each.dtype) for each in program.inputs]
    with device(arch, 1, backend="sequential", record=False) as chip:
        (made,) = program.lowered(TO_CALLS, CONTEXT, "calls").run(arrays, DeviceCrossbars(chip))
        assert (chip.counters.writes, len(chip.crossbars)) == (50, 1)
    np.testing.assert_array_equal(made, arrays[0] @ arrays[1])


PRODUCT = """func.func @main(%a: tensor<4x4xi8>, %b: tensor<4x4xi8>, %c: tensor<4x4xi8>) -> tensor<4x4xi8> {
  %y = linalg.matmul ins(%a, %b : tensor<4x4xi8>, tensor<4x4xi8>) outs(%c : tensor<4x4xi8>) -> tensor<4x4xi8>
  return %y : tensor<4x4xi8>
}
"""
BARRIER = "func.func private @memristor_barrier(i32)\n"
WRITE = f"func.func private @memristor_write_to_crossbar_i8(i32, memref<?x?xi8, {ANY}>)\n"
GEMM = f"func.func private @memristor_gemm_i8(i32, memref<?x?xi8, {ANY}>, memref<?x?xi8, {ANY}>)\n"


def calling(declared, *lines):
    cast = f"%d = memref.cast %m : memref<2x2xi8> to memref<?x?xi8, {ANY}>"
    body = "\n".join(
        ["%x = arith.constant 3 : i32", cast, *lines, "memref.copy %m, %m : memref<2x2xi8> to memref<2x2xi8>"]
    )
    return f"{declared}func.func @main(%m: memref<2x2xi8>) {{\n{body}\nreturn\n}}\n"


CALL_WRITE = f"func.call @memristor_write_to_crossbar_i8(%x, %d) : (i32, memref<?x?xi8, {ANY}>) -> ()"
CALL_GEMM = f"func.call @memristor_gemm_i8(%x, %d, %d) : (i32, memref<?x?xi8, {ANY}>, memref<?x?xi8, {ANY}>) -> ()"
CALL_BARRIER = "func.call @memristor_barrier"
UNREAD = [
    (
        calling("func.func private @memristor_wait(i32)\n", "func.call @memristor_wait(%x) : (i32) -> ()"),
        "line 5: func.call calls @memristor_wait, which has no body and is no function of a device",
    ),
    (
        calling("func.func private @memristor_barier(i32)\n", "func.call @memristor_barier(%x) : (i32) -> ()"),
        "did you mean 'memristor_barrier'?",
    ),
    (
        calling(
            WRITE.replace("i8", "f64"),
            f"%w = memref.alloc(%z, %z) : memref<?x?xf64, {ANY}>",
            CALL_WRITE.replace("i8", "f64").replace("%d", "%w"),
        ).replace("%x =", "%z = arith.constant 2 : index\n%x ="),
        "line 7: func.call calls @memristor_write_to_crossbar_f64, which has no body and is no function of a device",
    ),
    (
        calling(WRITE + GEMM, CALL_WRITE.replace("%d", "%m").replace(f"?x?xi8, {ANY}", "2x2xi8")),
        "line 6: func.call is not valid: operand type mismatch: expected operand type memref<?x?xi8",
    ),
    (
        calling(BARRIER.replace("i32", "i64"), "%y = arith.constant 3 : i64", f"{CALL_BARRIER}(%y) : (i64) -> ()"),
        "line 1: func.func declares @memristor_barrier otherwise than it is: (i32), of any layout",
    ),
    (calling("", "func.call @memristor_barrier(%x) : (i32) -> ()"), "could not be found in symbol table"),
    (
        calling("", "memristor.gevm(%x, %m, %m) : i32, memref<2x2xi8>, memref<2x2xi8>"),
        "line 4: memristor.gevm is not valid: takes a vector, not a memref<2x2xi8>",
    ),
    (
        calling(
            "",
            "%w = memref.alloc() : memref<2x2xf32>",
            "memristor.gemm(%x, %m, %w) : i32, memref<2x2xi8>, memref<2x2xf32>",
        ),
        "line 5: memristor.gemm is not valid: no crossbars make f32 of i8",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), UNREAD)
def test_what_cannot_be_called_is_refused_before_anything_runs(text, said):
    with pytest.raises(CompileError) as error:
        read(text)
    assert said in str(error.value)


@pytest.mark.parametrize(("declared", "fits"), [(BARRIER, True), (BARRIER.replace("i32", "i64"), False)])
def test_a_function_that_the_text_declares_is_called_only_as_it_is(declared, fits):
    """Nobody has called it so far: it may be anything."""
    text = f"{declared}{PRODUCT}"
    program = read(text)
    if fits:
        assert program.lowered(RECIPES["occ"], CONTEXT, "calls").text().count("@memristor_barrier(") > 1
        return
    with pytest.raises(CompileError, match="would call @memristor_barrier, which is something else in this text"):
        program.lowered(RECIPES["occ"], CONTEXT, "calls")


UNDONE = [
    (
        calling(GEMM, CALL_GEMM),
        "line 5: func.call cannot be executed: a product with crossbar 3 comes before its matrix: write one first",
    ),
    (
        calling(
            WRITE + GEMM,
            CALL_WRITE,
            "%s = memref.subview %m[0, 0] [2, 1] [1, 1] : memref<2x2xi8> to memref<2x1xi8, strided<[2, 1]>>",
            f"%n = memref.cast %s : memref<2x1xi8, strided<[2, 1]>> to memref<?x?xi8, {ANY}>",
            CALL_GEMM.replace("%d, %d", "%n, %d"),
        ),
        "line 9: func.call cannot be executed: crossbar 3 holds 2 x 2, of which [2, 1] makes no [2, 2]",
    ),
    (
        calling(
            "",
            "memristor.write_to_crossbar(%x, %m) {sums = i32} : i32, memref<2x2xi8>",
            "memristor.gemm(%x, %m, %m) : i32, memref<2x2xi8>, memref<2x2xi8>",
        ),
        "line 5: memristor.gemm cannot be executed: crossbar 3 makes int32 of int8, and is asked for int8 of int8",
    ),
]


@pytest.mark.parametrize(("text", "said"), UNDONE)
def test_a_call_that_cannot_be_done_is_told_with_its_line(text, said):
    with pytest.raises(CompileError) as error:
        read(text).run([np.zeros((2, 2), np.int8)])
    assert str(error.value) == f"host.mlir: {said}"


BY_FIVE = "%y = arith.constant 5 : i32"
WROTE, MULTIPLIED = (
    "memristor.write_to_crossbar(%{}, %m) : i32, memref<2x2xi8>",
    "memristor.gemm(%{}, %m, %m) : i32, memref<2x2xi8>, memref<2x2xi8>",
)
TURN = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\nscf.for %i = %c0 to %c1 step %c1 {{\n{}\n}}"


@pytest.mark.parametrize(
    ("declared", "lines", "at"),
    [
        (GEMM, [CALL_GEMM], 5),
        ("", [MULTIPLIED.format("x")], 4),
        ("", [BY_FIVE, WROTE.format("y"), MULTIPLIED.format("x")], 6),
        ("", [TURN.format(MULTIPLIED.format("x"))], 7),
    ],
)
def test_a_product_before_any_write_is_refused_before_it_runs(declared, lines, at):
    program = read(calling(declared, *lines))
    with pytest.raises(CompileError, match=rf"^host.mlir: line {at}: \S+ multiplies by a matrix that nobody"):
        program.lowered((), CONTEXT, "calls")


@pytest.mark.parametrize(
    "lines",
    [
        [WROTE.format("x"), MULTIPLIED.format("x")],
        [TURN.format(WROTE.format("x")), MULTIPLIED.format("x")],
        [BY_FIVE, "%z = arith.subi %y, %x : i32", WROTE.format("z"), MULTIPLIED.format("y")],
    ],
)
def test_a_product_that_may_be_right_is_left_to_the_run(lines):
    read(calling("", *lines)).lowered((), CONTEXT, "calls")


ACQUIRE = "%x = cim.acquire : !cim.crossbar<tensor<2x2xi8>, i8>"
CROSSBAR, FUTURE = "!cim.crossbar<tensor<2x2xi8>, i8>", "!cim.future<tensor<2x2xi8>>"
CALL = f"%f = cim.gemm(%x, %a) : ({CROSSBAR}, tensor<2x2xi8>) -> {FUTURE}"
WRITTEN = f"cim.write(%x, %a) : {CROSSBAR}, tensor<2x2xi8>"
LOOP = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            f"{ACQUIRE}\n{LOOP}\n%l = scf.for %i = %c0 to %c1 step %c1 iter_args(%p = %x) -> ({CROSSBAR}) {{\n"
            f"%y = cim.acquire : {CROSSBAR}\nscf.yield %y : {CROSSBAR}\n}}",
            "line 6: cim.acquire acquires a crossbar that is in use behind its turn of the loop: acquire it before",
        ),
        (
            f"{LOOP}\n%t = arith.constant true\n%l = scf.if %t -> ({CROSSBAR}) {{\n{ACQUIRE}\nscf.yield %x"
            f" : {CROSSBAR}\n}} else {{\n%y = cim.acquire : {CROSSBAR}\nscf.yield %y : {CROSSBAR}\n}}",
            "line 6: cim.acquire acquires a crossbar that leaves its block",
        ),
        (
            f"{ACQUIRE}\n{WRITTEN}\n{CALL}\n{LOOP}\n"
            f"%l = scf.for %i = %c0 to %c1 step %c1 iter_args(%g = %f) -> ({FUTURE}) {{\nscf.yield %g : {FUTURE}\n}}",
            "line 7: scf.for hands a product on that is under way: let a barrier wait for it before",
        ),
        (
            f"{ACQUIRE}\nfunc.call @main(%a) : (tensor<2x2xi8>) -> (tensor<2x2xi8>)",
            "line 2: cim.acquire stands in @main, which calls itself: acquire it outside",
        ),
        (
            f"{ACQUIRE}\n%r = tensor.cast %a : tensor<2x2xi8> to tensor<2x?xi8>\n%t = arith.constant true\n"
            f"scf.if %t {{\ncim.write(%x, %r) : {CROSSBAR}, tensor<2x?xi8>\n}} else {{\n{WRITTEN}\n}}\n"
            f"%f = cim.gemm(%x, %a) : ({CROSSBAR}, tensor<2x2xi8>) -> !cim.future<tensor<2x?xi8>>",
            "line 10: cim.gemm has as many columns as a matrix that is written in several places",
        ),
        (
            f"{ACQUIRE}\n%r = tensor.cast %a : tensor<2x2xi8> to tensor<2x?xi8>\n{WRITTEN}\n{LOOP}\n"
            f"scf.for %i = %c0 to %c1 step %c1 {{\n"
            f"%f = cim.gemm(%x, %a) : ({CROSSBAR}, tensor<2x2xi8>) -> !cim.future<tensor<2x?xi8>>\n"
            f"cim.write(%x, %r) : {CROSSBAR}, tensor<2x?xi8>\n}}",
            "line 8: cim.gemm has as many columns as a matrix that is written in several places",
        ),
    ],
)
def test_crossbars_that_no_number_stands_for_are_refused(body, said):
    program = read(f"func.func @main(%a: tensor<2x2xi8>) -> tensor<2x2xi8> {{\n{body}\nreturn %a : tensor<2x2xi8>\n}}")
    with pytest.raises(CompileError) as error:
        program.lowered(TO_CALLS, CONTEXT, "calls")
    assert said in str(error.value)

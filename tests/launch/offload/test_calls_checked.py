"""Calls of a device that a text makes are checked before any of it runs: what can be seen is told with its line."""

import re
from pathlib import Path

import numpy as np
import pytest

from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import RECIPES
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar
from emu.errors import InputError
from launch.devices.device import device
from launch.offload.crossbars import DeviceCrossbars

ARCH = Arch(name="small", cores=4, core=Core(crossbars=2), crossbar=Crossbar(4, 4))
TENSOR, CROSSBAR, FUTURE = "tensor<4x4xi32>", "!cim.crossbar<tensor<4x4xi32>, i32>", "!cim.future<tensor<4x4xi32>>"
# A word for each call; `x` is the crossbar, `f` the future.
WORDS = {
    "acquire": "%{} = cim.acquire : " + CROSSBAR,
    "write": "cim.write(%{}, %m) : " + f"{CROSSBAR}, {TENSOR}",
    "gemm": "%{1} = cim.gemm(%{0}, %m) : " + f"({CROSSBAR}, {TENSOR}) -> {FUTURE}",
    "barrier": "%{1} = cim.barrier(%{0}) : " + f"({FUTURE}) -> {TENSOR}",
    "release": "cim.release(%{}) : " + CROSSBAR,
}


def line(text):
    """A line of short words, `write x`, as one of the program; other lines stand as they are."""
    word, _, rest = text.strip().partition(" ")
    return WORDS[word].format(*rest.split()) if word in WORDS else text


def program(body, arch=ARCH, cores=1, result="%m"):
    lines = [line(each) for each in body.strip().splitlines()]
    arguments = f"%m: {TENSOR}, %many: index, %some: i1"
    text = "\n".join([f"func.func @main({arguments}) -> {TENSOR} {{", *lines, f"return {result} : {TENSOR}", "}"])
    context = OffloadContext(arch, cores)
    return HostProgram.read(Path("x.mlir"), text.encode(), context), context


LOOP = """
%zero = arith.constant 0 : index
%one = arith.constant 1 : index
%three = arith.constant 3 : index
scf.for %i = %zero to {} step %one {{
{}
}}"""
ONE = "acquire x\nwrite x\ngemm x f"
WRONG = {  # what is wrong, in which line of the program: the first one is that of the function
    "not written": ("acquire x\ngemm x f", "line 3: cim.gemm multiplies by a crossbar that nobody has written"),
    "after release": (f"{ONE}\nrelease x\ngemm x g", "line 6: cim.gemm multiplies by crossbars that line 5: cim"),
    "written after release": ("acquire x\nrelease x\nwrite x", "line 4: cim.write writes to crossbars that line 3"),
    "released twice": ("acquire x\nrelease x\nrelease x", "line 4: cim.release releases crossbars that line 3"),
    "awaited twice": (f"{ONE}\nbarrier f y\nbarrier f z", "line 6: cim.barrier waits for a product that line 5: cim.b"),
    "too many": ("acquire x\nacquire y\nacquire z", "line 4: cim.acquire asks for too much: no core has 1"),
    "too large": (
        "%x = cim.acquire : !cim.crossbar<tensor<9x4xi32>, i32>",
        "line 2: cim.acquire asks for too much: no core has 3 crossbars free for a matrix of 9 x 4 i32",
    ),
    "no type of crossbars": (
        "%x = cim.acquire : !cim.crossbar<tensor<4x4xi1>, f32>", "line 2: cim.acquire has a tensor<4x4xi1> for",
    ),
    "floats into integers": (
        "%x = cim.acquire : !cim.crossbar<tensor<4x4xf32>, i32>", "line 2: cim.acquire has a tensor<4x4xf32> for",
    ),
    "turn after turn": (LOOP.format("%three", "acquire x"), "line 6: cim.acquire asks for too much"),
    "released by the turn before": (
        "acquire x" + LOOP.format("%three", "release x"), "line 7: cim.release releases crossbars that line 7: cim",
    ),
    "of unknown number": (
        "acquire x" + LOOP.format("%many", "release x"), "line 7: cim.release releases crossbars that line 7: cim",
    ),
    "in one branch": ("acquire x\nscf.if %some {\ngemm x f\n}", "line 4: cim.gemm multiplies by a crossbar that"),
    "held in both": (
        "acquire a\nscf.if %some {\nacquire x\nrelease x\n} else {\nacquire y\nacquire z\n}",
        "line 8: cim.acquire asks for too much",
    ),
    "vectors of another length": (
        f"acquire x\n%n = tensor.empty() : tensor<3x4xi32>\ncim.write(%x, %n) : {CROSSBAR}, tensor<3x4xi32>\ngemm x f",
        "line 5: cim.gemm multiplies vectors of 4 elements by a matrix of 3 rows",
    ),
    "more columns than there are": (
        f"acquire x\n%n = tensor.empty() : tensor<4x3xi32>\ncim.write(%x, %n) : {CROSSBAR}, tensor<4x3xi32>\ngemm x f",
        "line 5: cim.gemm makes 4 columns by a matrix of 3",
    ),
    "a product that no core holds": (
        "%p = cinm.gemm(%big, %big) : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi32>",
        "line 3: cinm.gemm asks for too much: no core has 9 crossbars free for a matrix of 12 x 12 i32",
    ),
}  # fmt: skip
CASES = "scf.index_switch %many\ncase 1 {{\n{}\nscf.yield\n}}\ndefault {{\n{}\nscf.yield\n}}"
WRONG |= {
    "turns that end": (
        "scf.while () : () -> () {\nacquire x\nscf.condition(%some)\n} do {\nscf.yield\n}",
        "line 3: cim.acquire asks for too much",
    ),
    "before a while": (
        "acquire x\nscf.while : () -> () {\nscf.condition(%some)\n} do {\ngemm x f\nscf.yield\n}",
        "line 6: cim.gemm multiplies by a crossbar that nobody has written",
    ),
    "through a while": (
        f"acquire x\nrelease x\n%l = scf.while (%p = %x) : ({CROSSBAR}) -> {CROSSBAR} {{\n"
        f"scf.condition(%some) %p : {CROSSBAR}\n}} do {{\n"
        f"^bb0(%q: {CROSSBAR}):\nscf.yield %q : {CROSSBAR}\n}}\nwrite l",
        "line 10: cim.write writes to crossbars that line 3",
    ),
    "in a case": (
        "acquire x\nscf.index_switch %many\ncase 1 {\nscf.yield\n}\ndefault {\ngemm x f\nscf.yield\n}",
        "line 8: cim.gemm multiplies by a crossbar that nobody has written",
    ),
    "released by all cases": (
        f"acquire x\n{CASES.format('release x', 'release x')}\nwrite x",
        "line 12: cim.write writes to crossbars that line 5",
    ),
}
BOTH = f"({CROSSBAR}, {CROSSBAR})"
YIELDS = "scf.yield %{} : " + CROSSBAR
ONE_OF = (
    f"acquire x\nacquire y\n%r = scf.if %some -> ({CROSSBAR}) {{\n{YIELDS.format('x')}\n}} else {{\n"
    f"{YIELDS.format('y')}\n}}"
)
SWAPS = (
    "acquire x\nacquire y\nwrite x\n%zero = arith.constant 0 : index\n%one = arith.constant 1 : index\n"
    "%three = arith.constant {} : index\n"
    f"%r:2 = scf.for %i = %zero to {{}} step %one iter_args(%p = %x, %q = %y) -> {BOTH} {{{{\n"
    f"scf.yield %q, %p : {CROSSBAR}, {CROSSBAR}\n}}}}\n"
    f"{WORDS['gemm'].format('r#{}', 'f')}"
)
WRONG |= {
    "changed places": (SWAPS.format(3, "%three", 0), "line 11: cim.gemm multiplies by a crossbar that nobody"),
}
RIGHT = {
    "written as one of two": f"{ONE_OF}\nwrite r\ngemm x f",
    "released as one of two": f"{ONE_OF}\nrelease r\nwrite x",
    "changed places": SWAPS.format(3, "%three", 1),
    "changed places more often than is followed": SWAPS.format(4097, "%three", 1),
    "changed places who knows how often": SWAPS.format(3, "%many", 0),
    "written by a case": f"acquire x\n{CASES.format('write x', '')}\ngemm x f",
    "written by turns": (
        "acquire x\nscf.while () : () -> () {\nwrite x\nscf.condition(%some)\n} do {\nscf.yield\n}\ngemm x f"
    ),
    "one after the other": f"{ONE}\nbarrier f y\nrelease x\nacquire z\nacquire w",
    "in a loop": LOOP.format("%many", f"{ONE}\nbarrier f y\nrelease x"),
    "awaited when released": f"{ONE}\nrelease x\nbarrier f y",
    "in a branch": f"scf.if %some {{\n{ONE}\n}}",
    "written by a branch": "acquire x\nscf.if %some {\nwrite x\n}\ngemm x f",
    "released by a branch": "acquire x\nscf.if %some {\nrelease x\n}\nacquire y\nacquire z",
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_before_it_runs(name):
    body, said = WRONG[name]
    if "%big" in body:
        body = "%big = tensor.empty() : tensor<12x12xi32>\n" + body
    read, context = program(body)
    with pytest.raises(InputError) as caught:
        read.lowered((), context, "cim")
    assert str(caught.value).startswith(f"x.mlir: {said}")


@pytest.mark.parametrize("name", RIGHT)
def test_what_may_be_right_is_left_to_the_device(name):
    read, context = program(RIGHT[name])
    read.lowered((), context, "cim")


def run(body, many, some, **more):
    read, context = program(body, **more)
    lowered = read.lowered((), context, "cim")
    with device(context.arch, context.cores, backend="numpy") as chip:
        return lowered.run([np.eye(4, dtype=np.int32), np.array(many), np.array(some)], DeviceCrossbars(chip))


@pytest.mark.parametrize(
    ("body", "many", "some", "said"),
    [
        (
            "acquire x\nscf.if %some {\nwrite x\n}\ngemm x f",
            0,
            False,
            "line 6: cim.gemm cannot be executed: mul",
        ),
        ("acquire x\nscf.if %some {\nrelease x\n}\nrelease x", 0, True, "line 6: cim.release: crossbar 0 is released"),
        (LOOP.format("%many", "acquire x"), 3, False, "line 6: cim.acquire: no core has 1 crossbar free"),
    ],
)
def test_what_the_data_decides_is_told_when_it_comes(body, many, some, said):
    run(body, min(many, 2), not some)
    with pytest.raises(InputError) as caught:
        run(body, many, some)
    assert str(caught.value).startswith(f"x.mlir: {said}")


def test_functions_are_followed():
    text = re.sub(
        r"\s*$",
        "",
        f"""func.func @main(%m: {TENSOR}) -> {TENSOR} {{
  {line("acquire x")}
  func.call @use(%x, %m) : ({CROSSBAR}, {TENSOR}) -> ()
  {line("gemm x f")}
  return %m : {TENSOR}
}}
func.func private @use(%y: {CROSSBAR}, %m: {TENSOR}) {{
  {line("write y")}
  {line("release y")}
  return
}}""",
    )
    context = OffloadContext(ARCH, 1)
    read = HostProgram.read(Path("x.mlir"), text.encode(), context)
    with pytest.raises(InputError, match=r"^x.mlir: line 4: cim.gemm multiplies by crossbars that line 9: cim"):
        read.lowered((), context, "cim")


def test_products_of_mixed_weights_share_a_core():
    """Places of a core take as many crossbars as its widest weights: i64 in eight, so that i8 has fewer than eight."""
    arch = Arch(name="mixed", cores=1, core=Core(crossbars=8), crossbar=Crossbar(4, 4, cell_bits=8))
    kinds = {"i8": "tensor<4x4xi8>", "i64": "tensor<4x4xi64>"}
    lines = [f"%{k} = linalg.matmul ins(%a{k}, %a{k} : {t}, {t}) outs(%a{k} : {t}) -> {t}" for k, t in kinds.items()]
    big = "%b = linalg.matmul ins(%c, %d : tensor<4x9xi8>, tensor<9x9xi8>) outs(%c : tensor<4x9xi8>) -> tensor<4x9xi8>"
    arguments = ", ".join(f"%a{k}: {t}" for k, t in kinds.items()) + ", %c: tensor<4x9xi8>, %d: tensor<9x9xi8>"
    results = "tensor<4x9xi8>, tensor<4x4xi8>, tensor<4x4xi64>"
    body = "\n".join([big, *lines])
    text = f"func.func @main({arguments}) -> ({results}) {{\n{body}\nreturn %b, %i8, %i64 : {results}\n}}"
    context = OffloadContext(arch, 1)
    read = HostProgram.read(Path("x.mlir"), text.encode(), context)
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-50, 50, each.shape).astype(each.dtype) for each in read.inputs]
    for recipe in RECIPES:
        with device(arch, 1, backend="numpy") as chip:
            made = read.lowered(RECIPES[recipe], context, "cim").run(arrays, DeviceCrossbars(chip))
        for one, other in zip(made, read.run(arrays), strict=True):
            np.testing.assert_array_equal(one, other)

"""Memrefs are views that are written in place: whatever chain of views a program takes, it writes what NumPy writes."""

from pathlib import Path

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.offload.context import OffloadContext
from compiler.offload.program import HostProgram
from emu.arch import Arch
from emu.errors import CompileError

CONTEXT = OffloadContext(Arch(), 1)


def read(text):
    return HostProgram.read(Path("host.mlir"), text.encode(), CONTEXT)


def kind_of(view, known):
    strides = ", ".join(str(step // view.itemsize) if known else "?" for step in view.strides)
    return f"memref<{''.join(f'{size}x' for size in view.shape)}i32, strided<[{strides}], offset: ?>>"


@st.composite
def chains(draw):
    """A shape, lines that take views of %v0, and what takes the same views of an array."""
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    view, lines, steps = np.zeros(shape, np.int32), [], []
    kind = f"memref<{''.join(f'{size}x' for size in shape)}i32>"
    for place in range(draw(st.integers(1, 4))):
        step = draw(st.sampled_from(["subview", "reduce", "cast"]))
        cuts = []
        for size in view.shape:
            low = draw(st.integers(0, size - 1))
            stride = draw(st.integers(1, 2))
            most = (size - 1 - low) // stride + 1
            cuts.append((low, draw(st.integers(1, most)), stride))
        if step == "cast":
            made = f"memref<{'?x' * view.ndim}i32, strided<[{', '.join('?' * view.ndim)}], offset: ?>>"
            lines.append(f"%v{place + 1} = memref.cast %v{place} : {kind} to {made}")
            kind = made
            continue
        dynamic = draw(st.booleans())
        offsets = [str(low) for low, _, _ in cuts]
        if dynamic and cuts:
            lines.append(f"%o{place} = arith.constant {offsets[0]} : index")
            offsets[0] = f"%o{place}"
        slices = (*(slice(low, low + (size - 1) * stride + 1, stride) for low, size, stride in cuts), ...)
        steps.append(slices)
        view = view[slices]
        if step == "reduce":
            gone = (*(0 if size == 1 else slice(None) for size in view.shape), ...)
            steps.append(gone)
            view = view[gone]
        made = kind_of(view, "?" not in kind.replace("offset: ?", ""))
        sizes, strides = ", ".join(str(c[1]) for c in cuts), ", ".join(str(c[2]) for c in cuts)
        cut = f"[{', '.join(offsets)}] [{sizes}] [{strides}]"
        lines.append(f"%v{place + 1} = memref.subview %v{place}{cut} : {kind} to {made}")
        kind = made
    return shape, lines, steps, kind, place + 1


@settings(max_examples=examples(30, 400))
@given(chain=chains(), filled=st.booleans())
def test_what_is_written_to_a_view_stands_in_the_memref(chain, filled):
    shape, lines, steps, kind, last = chain
    whole = f"memref<{''.join(f'{size}x' for size in shape)}i32>"
    rank = kind.count("x", 0, kind.index("i32"))
    letters = ", ".join(f"d{dim}" for dim in range(rank))
    if filled:
        write = f"linalg.fill ins(%n : i32) outs(%v{last} : {kind})"
    else:
        kinds = ", ".join(['"parallel"'] * rank)
        write = (
            f"linalg.generic {{indexing_maps = [affine_map<({letters}) -> ({letters})>], iterator_types = [{kinds}]}}"
            f" outs(%v{last} : {kind}) {{\n^bb0(%e: i32):\n%s = arith.muli %e, %n : i32\nlinalg.yield %s : i32\n}}"
        )
    body = "\n".join(["%n = arith.constant 3 : i32", *lines, write])
    program = read(f"func.func @main(%v0: {whole}) {{\n{body}\nreturn\n}}")
    assert program.outputs == ("v0",)
    given_array = np.arange(np.prod(shape), dtype=np.int32).reshape(shape) + 1
    wanted = given_array.copy()
    view = wanted
    for step in steps:
        view = view[step]
    view[...] = 3 if filled else view * 3
    (made,) = program.run([given_array])
    np.testing.assert_array_equal(made, wanted)
    assert given_array[(0,) * len(shape)] == 1  # what was given stays


FORMS = """
memref.global "private" constant @k : memref<2x2xi32> = dense<[[1, 2], [3, 4]]> {alignment = 64 : i64}
memref.global "private" @seven : memref<4xi32> = dense<7>
memref.global @nothing : memref<4xi32> = uninitialized
func.func private @put(%v: memref<?x?xi32, strided<[?, ?], offset: ?>>, %n: i32) {
  %c0 = arith.constant 0 : index
  memref.store %n, %v[%c0, %c0] : memref<?x?xi32, strided<[?, ?], offset: ?>>
  return
}
func.func @main(%c: memref<4x4xi32>, %t: tensor<2x2xi32>, %r: memref<2x3xi32, strided<[1, 2], offset: 3>>)
    -> (tensor<2x2xi32>, memref<4xi32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %k = memref.get_global @k : memref<2x2xi32>
  %s = memref.get_global @seven : memref<4xi32>
  %e = memref.expand_shape %s [[0, 1]] output_shape [2, 2] : memref<4xi32> into memref<2x2xi32>
  linalg.add ins(%e, %k : memref<2x2xi32>, memref<2x2xi32>) outs(%e : memref<2x2xi32>)
  %f = memref.cast %e : memref<2x2xi32> to memref<?x?xi32, strided<[?, ?], offset: ?>>
  %n = memref.load %c[%c1, %c2] : memref<4x4xi32>
  call @put(%f, %n) : (memref<?x?xi32, strided<[?, ?], offset: ?>>, i32) -> ()
  %z = memref.alloc(%c2) {alignment = 64 : i64} : memref<?x2xi32>
  %y = memref.alloca() : memref<2x2xi32>
  linalg.transpose ins(%e : memref<2x2xi32>) outs(%y : memref<2x2xi32>) permutation = [1, 0]
  memref.copy %y, %z : memref<2x2xi32> to memref<?x2xi32>
  linalg.map { arith.addi } ins(%z, %k : memref<?x2xi32>, memref<2x2xi32>) outs(%z : memref<?x2xi32>)
  %b = bufferization.to_buffer %t : tensor<2x2xi32> to memref<2x2xi32>
  %old = bufferization.to_memref %t : memref<2x2xi32>
  linalg.matmul ins(%b, %old : memref<2x2xi32>, memref<2x2xi32>) outs(%z : memref<?x2xi32>)
  memref.store %n, %b[%c0, %c0] : memref<2x2xi32>
  %zt = bufferization.to_tensor %z restrict : memref<?x2xi32> to tensor<?x2xi32>
  %st = tensor.cast %zt : tensor<?x2xi32> to tensor<2x2xi32>
  memref.store %n, %z[%c0, %c0] : memref<?x2xi32>
  memref.dealloc %z : memref<?x2xi32>
  %i = scf.while (%w = %c0) : (index) -> index {
    %on = arith.cmpi slt, %w, %c4 : index
    scf.condition(%on) %w : index
  } do {
  ^bb0(%w: index):
    memref.store %n, %c[%w, %w] : memref<4x4xi32>
    %next = arith.addi %w, %c1 : index
    scf.yield %next : index
  }
  %again = memref.reinterpret_cast %c to offset: [3], sizes: [4], strides: [4]
    : memref<4x4xi32> to memref<4xi32, strided<[4], offset: 3>>
  memref.copy %s, %again : memref<4xi32> to memref<4xi32, strided<[4], offset: 3>>
  %d = memref.dim %r, %c1 : memref<2x3xi32, strided<[1, 2], offset: 3>>
  %way = scf.index_switch %d -> index
  case 3 {
    scf.yield %i : index
  }
  default {
    scf.yield %c0 : index
  }
  return %st, %s, %way : tensor<2x2xi32>, memref<4xi32>, index
}
"""


def test_every_form_does_what_it_says():
    program, ones = read(FORMS), np.ones((2, 3), np.int32)
    assert program.outputs == ("output0", "output1", "output2", "c")
    c, t = np.arange(16, dtype=np.int32).reshape(4, 4), np.array([[1, 2], [3, 4]], np.int32)
    tensor, seven, way, after = program.run([c, t, ones])
    e = np.array([[6, 9], [10, 11]])
    np.testing.assert_array_equal(tensor, e.T + [[1, 2], [3, 4]] + t @ t)
    np.testing.assert_array_equal(seven, e.reshape(-1))
    wanted = c.copy()
    np.fill_diagonal(wanted, 6)
    wanted[:, 3] = e.reshape(-1)
    np.testing.assert_array_equal(after, wanted)
    assert way == 4
    printed = program.lowered((), CONTEXT, "linalg").text()
    for one, other in zip(read(printed).run([c, t, ones]), (tensor, seven, way, after), strict=True):
        np.testing.assert_array_equal(one, other)


WHILE = """
func.func @main(%c: memref<2xi32>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  scf.while {} {{
    %n = memref.load %c[%zero] : memref<2xi32>
    %on = arith.cmpi slt, %n, %seven : i32
    scf.condition(%on)
  }} do {{
    %n = memref.load %c[%zero] : memref<2xi32>
    %next = arith.addi %n, %one : i32
    memref.store %next, %c[%zero] : memref<2xi32>
    scf.yield
  }} attributes {{done}}
  return
}}
"""


@pytest.mark.parametrize("form", [": () -> ()", "() : () -> ()"])
def test_a_while_that_carries_nothing_is_read_as_others_print_it(form):
    program = read(WHILE.format(form))
    printed = program.lowered((), CONTEXT, "linalg").text()
    assert "scf.while : () -> () {" in printed and "attributes {done}" in printed
    for each in (program, read(printed)):
        np.testing.assert_array_equal(each.run([np.array([3, 3], np.int32)]), [[7, 3]])


def test_a_while_that_names_no_values_is_given_none():
    with pytest.raises(CompileError, match=r"line 6, column 15: a loop is given values, and names none"):
        read(WHILE.format(": (i32) -> ()"))


PLACE = "%i = arith.constant 4 : index\n"
WRONG = [
    (
        f"{PLACE}%x = memref.load %m[%i] : memref<4xi32>",
        "load cannot be executed: reaches the element 4 along dimension 0 of [4]",
    ),
    (
        f"{PLACE}%x = memref.subview %m[%i] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1], offset: ?>>",
        "memref.subview cannot be executed: takes 2 elements from 4 by steps of 1 of 4",
    ),
    (
        "%s = memref.subview %m[0] [2] [2] : memref<4xi32> to memref<2xi32, strided<[2]>>\n"
        "%d = memref.cast %s : memref<2xi32, strided<[2]>> to memref<?xi32, strided<[?], offset: ?>>\n"
        "%x = memref.cast %d : memref<?xi32, strided<[?], offset: ?>> to memref<2xi32>",
        "memref.cast cannot be executed: casts a memref of strides [2] to memref<2xi32>",
    ),
    (
        "%d = memref.cast %m : memref<4xi32> to memref<?xi32>\n%x = memref.cast %d : memref<?xi32> to memref<5xi32>",
        "casts a memref of shape [4] to memref<5xi32>",
    ),
    ("%k = memref.get_global @k : memref<4xi32>\nmemref.copy %m, %k : memref<4xi32> to memref<4xi32>", "read-only"),
    ("%k = memref.get_global @l : memref<4xi32>", "there is no memref.global @l"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "said"), WRONG)
def test_what_cannot_be_done_is_one_sentence(body, said):
    text = f"memref.global constant @k : memref<4xi32> = dense<1>\nfunc.func @main(%m: memref<4xi32>) {{\n{body}\n"
    store = "%c = arith.constant 0 : index\n%n = arith.constant 0 : i32\nmemref.store %n, %m[%c] : memref<4xi32>"
    program = read(f"{text}{store}\nreturn\n}}")
    with pytest.raises(CompileError) as error:
        program.run([np.zeros(4, np.int32)])
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("%x = memref.load %m[] : memref<4xi32>", "line 2: memref.load"),
        ("%x = memref.cast %m : memref<4xi32> to memref<4xi16>", "line 2: memref.cast is not valid: casts"),
        ("%x = memref.laod %m[] : memref<4xi32>", "memref.laod is not understood; did you mean 'memref.load'?"),
        (
            "%x = memref.alloc() : memref<4x4xi32, affine_map<(d0, d1) -> (d1, d0)>>",
            "line 2: memref.alloc has a memref<4x4xi32, affine_map<(d0, d1) -> (d1, d0)>>: give its layout by strides",
        ),
        ("%x = memref.alloc() : memref<4xi32, strided<[-1], offset: 3>>", "give its layout by strides that go up"),
        ("%x = memref.alloc() : memref<4xbf16>", "line 2: memref.alloc has elements of type bf16"),
        ("", "line 1: func.func returns nothing and writes no memref that it is given"),
    ],
)  # fmt: skip
def test_what_is_no_program_is_refused_before_it_runs(body, said):
    with pytest.raises(CompileError) as error:
        read(f"func.func @main(%m: memref<4xi32>) {{\n{body}\nreturn\n}}")
    assert said in str(error.value)

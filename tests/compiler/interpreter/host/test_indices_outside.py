"""Indices, sizes and steps that only the data decides: what lies outside is told with its line, never counted back."""

from pathlib import Path

import numpy as np
import pytest

from compiler.offload.context import OffloadContext
from compiler.offload.program import HostProgram
from emu.arch import Arch
from emu.errors import CompileError

KIND, OPEN, ONES = "tensor<4xi32>", "tensor<?xi32>", "tensor<1xindex>"
CAST = f"%w = tensor.cast %a : {KIND} to {OPEN}"
# An operation that takes the number %n, what it makes, and a number that fits.
TAKEN = {
    "tensor.extract": (f"%r = tensor.extract %a[%n] : {KIND}", "i32", 3),
    "tensor.insert": (f"%v = arith.constant 7 : i32\n%r = tensor.insert %v into %a[%n] : {KIND}", KIND, 3),
    "tensor.dim": (f"%r = tensor.dim %a, %n : {KIND}", "index", 0),
    "tensor.reshape": (
        f"%s = tensor.from_elements %n : {ONES}\n%r = tensor.reshape %w(%s) : ({OPEN}, {ONES}) -> {OPEN}", OPEN, 4,
    ),
    "tensor.expand_shape": (
        f"%r = tensor.expand_shape %w [[0, 1]] output_shape [%n, 4] : {OPEN} into tensor<?x4xi32>",
        "tensor<?x4xi32>", 1,
    ),
    "tensor.pad": (
        f"%v = arith.constant 7 : i32\n%r = tensor.pad %a low[%n] high[0] {{\n^bb0(%i: index):\n"
        f"tensor.yield %v : i32\n}} : {KIND} to {OPEN}", OPEN, 0,
    ),
    "linalg.generic": (
        "%e = tensor.empty() : tensor<2xi32>\n"
        '%r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}'
        " outs(%e : tensor<2xi32>) {\n^bb0(%o: i32):\n%i = linalg.index 0 : index\n%k = arith.addi %i, %n : index\n"
        f"%v = tensor.extract %a[%k] : {KIND}\nlinalg.yield %v : i32\n}} -> tensor<2xi32>", "tensor<2xi32>", 2,
    ),
    "scf.for": (
        "%l = arith.constant 3 : index\n%h = arith.constant 9 : index\n"
        f"%r = scf.for %i = %l to %h step %n iter_args(%t = %a) -> ({KIND}) {{\n"
        f"%u = arith.addi %t, %t : {KIND}\nscf.yield %u : {KIND}\n}}", KIND, 2,
    ),
}  # fmt: skip


def run(name, number):
    body, made, _ = TAKEN[name]
    text = f"func.func @main(%a: {KIND}, %n: index) -> {made} {{\n{CAST}\n{body}\nreturn %r : {made}\n}}\n"
    program = HostProgram.read(Path("x.mlir"), text.encode(), OffloadContext(Arch(), 1))
    return program.run([np.arange(4, dtype=np.int32), np.array(number)])


@pytest.mark.parametrize("name", TAKEN)
def test_what_lies_outside_is_refused(name):
    run(name, TAKEN[name][-1])
    for number in (-1, -2, -4):
        with pytest.raises(CompileError, match=r"^x.mlir: line \d+: \S+ cannot be executed: "):
            run(name, number)


@pytest.mark.parametrize(
    ("name", "number"), [("tensor.extract", 4), ("tensor.insert", 4), ("tensor.dim", 1), ("scf.for", 0)]
)
def test_so_is_what_lies_behind_the_end(name, number):
    with pytest.raises(CompileError, match=r"^x.mlir: line \d+: \S+ cannot be executed: "):
        run(name, number)

"""The kernels of OCC as text, in ragged sizes: every product is a call site, outputs are exact, by every recipe."""

from pathlib import Path

import numpy as np
import pytest

from compiler.interpreter.host.crossbars import NumpyCrossbars
from compiler.offload.comprehension import text_of
from compiler.offload.context import OffloadContext
from compiler.offload.host_text import SUMS
from compiler.offload.pipeline import RECIPES
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar
from launch.devices.device import device
from launch.offload.comparing import compare
from launch.offload.crossbars import DeviceCrossbars

ARCH = Arch(name="small", cores=4, core=Core(crossbars=4096), crossbar=Crossbar(8, 8))
BELOW = ("memristor", "calls")


class Text:
    """A function that multiplies: `inputs` are (name, type), `lines` its body."""

    def __init__(self, kind):
        self.kind, self.sums = kind, SUMS[kind][0]
        self.inputs, self.lines, self.count = [], [], 0

    def input(self, shape, kind=None):
        name = f"%x{len(self.inputs)}"
        self.inputs.append((name, f"tensor<{''.join(f'{size}x' for size in shape)}{kind or self.kind}>"))
        return name

    def call(self, op, operands, shape, more=""):
        """An operation of linalg on operands (name, type), with what stands before as an input."""
        self.count += 1
        made = f"tensor<{''.join(f'{size}x' for size in shape)}{self.sums}>"
        before = self.input(shape, self.sums)
        names, types = (", ".join(part) for part in zip(*operands, strict=True))
        self.lines.append(f"%y{self.count} = {op} {more}ins({names} : {types}) outs({before} : {made}) -> {made}")
        return f"%y{self.count}", made

    def relu(self, value):
        self.count += 1
        name, made = value
        suffix, zero = ("maximumf", "0.0") if self.sums == "f32" else ("maxsi", "0")
        self.lines += [
            f"%z{self.count} = arith.constant dense<{zero}> : {made}",
            f"%y{self.count} = arith.{suffix} {name}, %z{self.count} : {made}",
        ]
        return f"%y{self.count}", made

    def function(self, results):
        args = ", ".join(f"{name}: {kind}" for name, kind in self.inputs)
        kinds = ", ".join(kind for _, kind in results)
        names = ", ".join(name for name, _ in results)
        return f"func.func @main({args}) -> ({kinds}) {{\n" + "\n".join([*self.lines, f"return {names} : {kinds}\n}}"])


def typed(text, shape, kind=None):
    name = text.input(shape, kind)
    return name, text.inputs[-1][1]


def mm(t):
    return t.call("linalg.matmul", [typed(t, (9, 11)), typed(t, (11, 13))], (9, 13))


def tmm(t):
    return t.call("linalg.matmul_transpose_a", [typed(t, (11, 9)), typed(t, (11, 13))], (9, 13))


def mv(t):
    return t.call("linalg.matvec", [typed(t, (19, 11)), typed(t, (11,))], (19,))


def two(t):
    return t.call("linalg.matmul", [mm(t), typed(t, (13, 5), t.sums)], (9, 5))


def three(t):
    right = t.call("linalg.matmul", [typed(t, (13, 7)), typed(t, (7, 10))], (13, 10))
    return t.call("linalg.matmul", [mm(t), right], (9, 10))


def mlp3(t):
    value = t.relu(t.call("linalg.matmul", [typed(t, (3, 12)), typed(t, (12, 17))], (3, 17)))
    value = t.relu(t.call("linalg.matmul", [value, typed(t, (17, 9), t.sums)], (3, 9)))
    return t.call("linalg.matmul", [value, typed(t, (9, 4), t.sums)], (3, 4))


def conv1d(t):
    return t.call("linalg.conv_1d_ncw_fcw", [typed(t, (2, 3, 12)), typed(t, (5, 3, 3))], (2, 5, 10))


def conv2d(t):
    strides = "{strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} "
    return t.call("linalg.conv_2d_nchw_fchw", [typed(t, (1, 3, 9, 7)), typed(t, (4, 3, 3, 3))], (1, 4, 4, 3), strides)


def conv3d(t):
    return t.call("linalg.conv_3d_ndhwc_dhwcf", [typed(t, (1, 4, 5, 4, 2)), typed(t, (2, 2, 2, 2, 3))], (1, 3, 4, 3, 3))


KERNELS = {
    "mm": (mm, 1), "tmm": (tmm, 1), "mv": (mv, 1), "2mm": (two, 2), "3mm": (three, 3), "mlp3": (mlp3, 3),
    "conv1d": (conv1d, 1), "conv2d": (conv2d, 1), "conv3d": (conv3d, 1),
}  # fmt: skip


def batched(t):
    return t.call("linalg.batch_matmul", [typed(t, (5, 3, 7)), typed(t, (5, 7, 6))], (5, 3, 6))


def batched_vectors(t):
    return t.call("linalg.batch_matvec", [typed(t, (20, 3, 7)), typed(t, (20, 7))], (20, 3))


def grouped(t):
    strides = "{strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} "
    operands = [typed(t, (1, 2, 3, 6, 5)), typed(t, (2, 4, 3, 3, 2))]
    return t.call("linalg.conv_2d_ngchw_gfchw", operands, (1, 2, 4, 4, 4), strides)


def depthwise(t):
    strides = "{strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} "
    operands = [typed(t, (1, 7, 7, 3)), typed(t, (3, 3, 3))]
    return t.call("linalg.depthwise_conv_2d_nhwc_hwc", operands, (1, 3, 3, 3), strides)


def dot(t):
    return t.call("linalg.dot", [typed(t, (13,)), typed(t, (13,))], ())


# Call sites: up to 16 points of a batch are written out, more are turns of a loop.
OF_BATCHES = {
    "batched": (batched, 5), "batched vectors": (batched_vectors, 1), "grouped": (grouped, 2),
    "depthwise": (depthwise, 3), "dot": (dot, 1),
}  # fmt: skip
CONTRACTIONS = {
    "ab-acd-dbc": "C(a,b) += A(a,c,d) * B(d,b,c)",
    "abc-acd-db": "C(a,b,c) += A(a,c,d) * B(d,b)",
    "abcd-aebf-dfce": "C(a,b,c,d) += A(a,e,b,f) * B(d,f,c,e)",
}
WANTED = {"a": 5, "b": 6, "c": 3, "d": 4, "e": 2, "f": 3}


def check(text, sites, recipe):
    context = OffloadContext(ARCH, 2)
    program = HostProgram.read(Path("kernel.mlir"), text.encode(), context)
    lowered = program.lowered(RECIPES[recipe], context, "cim")
    assert (lowered.sites, lowered.candidates) == (sites, sites)
    assert "linalg.matmul" not in lowered.text()
    rng = np.random.default_rng(1)
    arrays = [rng.integers(-90, 90, each.shape).astype(each.dtype) for each in program.inputs]
    golden = program.run(arrays)
    with device(ARCH, 2, backend="sequential", record=False) as chip:
        outputs = [lowered.run(arrays, DeviceCrossbars(chip))]
        assert chip.counters.products >= sites
    outputs += [program.lowered(RECIPES[recipe], context, level).run(arrays, NumpyCrossbars()) for level in BELOW]
    for made in outputs:
        for one, other in zip(made, golden, strict=True):
            found = compare("output", one, other)
            assert found.right, found.line()


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("kind", ["i8", "i32", "f32"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernel(name, kind, recipe):
    maker, sites = KERNELS[name]
    text = Text(kind)
    check(text.function([maker(text)]), sites, recipe)


@pytest.mark.parametrize("recipe", ["occ", "cinnamon"])
def test_f16_is_summed_in_f32_and_rounded_once(recipe):
    """Text that adds in f16 makes what the exact sum rounds to, as the interpretation has it, or its neighbour."""
    kinds = "tensor<9x40xf16>", "tensor<40x7xf16>", "tensor<9x7xf16>"
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in zip("abc", kinds, strict=True))
    text = (
        f"func.func @main({arguments}) -> {kinds[2]} {{\n%y = linalg.matmul ins(%a, %b : {kinds[0]}, {kinds[1]})"
        f" outs(%c : {kinds[2]}) -> {kinds[2]}\nreturn %y : {kinds[2]}\n}}"
    )
    context = OffloadContext(ARCH, 2)
    program = HostProgram.read(Path("kernel.mlir"), text.encode(), context)
    lowered = program.lowered(RECIPES[recipe], context, "cim")
    assert (lowered.sites, lowered.candidates) == (1, 1)
    assert "xf16>, f32>" in lowered.text()
    rng = np.random.default_rng(2)
    arrays = [rng.standard_normal(each.shape).astype(np.float16) for each in program.inputs]
    with device(ARCH, 2, backend="sequential", record=False) as chip:
        (made,) = lowered.run(arrays, DeviceCrossbars(chip))
    a, b, c = (array.astype(np.float64) for array in arrays)
    assert made.dtype == np.float16
    assert np.all(np.abs(made - (a @ b + c)) <= np.abs(np.spacing(made)))


@pytest.mark.parametrize("kind", ["i8", "i32", "f32"])
@pytest.mark.parametrize("name", OF_BATCHES)
def test_batches(name, kind):
    maker, sites = OF_BATCHES[name]
    text = Text(kind)
    function = text.function([maker(text)])
    check(function, sites, "cinnamon")
    context = OffloadContext(ARCH, 2)
    occ = HostProgram.read(Path("kernel.mlir"), function.encode(), context).lowered(RECIPES["occ"], context, "cim")
    assert (occ.sites, occ.candidates) == (0, 1)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("kind", ["i8", "f32"])
@pytest.mark.parametrize("name", CONTRACTIONS)
def test_contraction(name, kind, recipe):
    form = CONTRACTIONS[name]
    check(text_of(form, {index: WANTED[index] for index in WANTED if index in form}, kind), 1, recipe)

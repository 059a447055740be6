"""Pixel by pixel a network computes what it computes channel by channel: same golden, same crossbars, same bits."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx import TensorProto, helper
from onnx_nets import Net, conv_nets
from quantised_models import model_of

from compiler.compiling import compile_model
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.passes import PIPELINE, SCHEMES
from compiler.request import make_request
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError, InputError
from emu.noc.traffic.traffic import messages_and_bytes
from emu.program.group import physical_crossbars

PIXEL = ",".join(SCHEMES["pixel"])


def chip(size: int = 4, crossbars: int = 4096) -> Arch:
    return Arch(name="small", cores=1024, core=Core(crossbars=crossbars), crossbar=Crossbar(size, size))


def both(model, arch, **options):
    """The network in both schemes, run on one sample."""
    made = [compile_in_memory(model, arch, pipeline=pipeline, **options) for pipeline in (None, PIXEL)]
    sample = random_sample(made[0].inputs)
    return made, sample, [run_in_process(each, [sample])[0] for each in made]


def check(model, arch, **options):
    (channel, pixel), sample, (wanted, found) = both(model, arch, **options)
    assert_close(found, golden(model, sample))
    groups = [[program.groups for program in each.programs.values()] for each in (channel, pixel)]
    held = [physical_crossbars((group for part in each for group in part), arch) for each in groups]
    assert held[0] == held[1]
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
    return channel, pixel


@settings(max_examples=examples(3, 40))
@given(
    conv_nets(),
    st.integers(2, 40),
    st.sampled_from(["dense", "kernel"]),
    st.sampled_from(["frugal", "scatter", "pack"]),
    st.sampled_from([3, 17, 1024]),
)
def test_random_networks(model, size, packing, placement, cores):
    check(model, chip(size), cores=cores, packing=packing, placement=placement)


@pytest.mark.full
@settings(max_examples=500)
@given(
    conv_nets(),
    st.integers(2, 40),
    st.sampled_from(["dense", "kernel"]),
    st.sampled_from(["frugal", "scatter", "pack"]),
    st.sampled_from([3, 17, 1024]),
    st.sampled_from(["image", "rows:2"]),
)
@pytest.mark.timeout(3600)
def test_many_random_networks(model, size, packing, placement, cores, granularity):
    check(model, chip(size), cores=cores, packing=packing, placement=placement, granularity=granularity)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("shape", "kernel", "rest"),
    [
        ([1, 3, 7], (2,), {"strides": [2], "pads": [1, 0]}),
        ([1, 2, 3, 3, 4], (2, 2, 2), {"dilations": [2, 1, 1]}),
        ([1, 4, 4, 4], (3, 3), {"group": 4, "pads": [1, 1, 1, 1]}),
        ([3, 4, 4, 4], (3, 3), {"group": 2, "pads": [0, 1, 1, 0], "strides": [2, 1]}),
        ([1, 2, 3, 2], (1, 1), {"pads": [2, 1, 1, 3]}),  # windows that are padding alone
        ([1, 2, 5, 4], (3, 2), {"dilations": [2, 3], "pads": [1, 1, 1, 1]}),
    ],
)
def test_windows_of_every_kind(shape, kernel, rest):
    net = Net(shape)
    rest = {**rest}
    y = net.conv("x", shape[1], 8, kernel, group=rest.pop("group", 1), **rest)
    z = net.conv(net.add("Relu", y), 8, 3, (1,) * len(kernel))
    check(net.model(y, z), chip(3))


def test_integers_whose_padding_is_not_zero():
    rng = np.random.default_rng(3)
    weights = {"w": rng.integers(0, 256, (5, 3, 2, 3), np.uint8), "zero": np.uint8(7)}
    node = helper.make_node("ConvInteger", ["x", "w", "zero"], ["y"], "conv", pads=[1, 2, 0, 1], strides=[1, 2])
    shapes = {"x": (TensorProto.UINT8, [1, 3, 4, 5])}, {"y": (TensorProto.INT32, None)}
    model = model_of([node], *shapes, weights)
    sample = {"x": rng.integers(0, 256, (1, 3, 4, 5), np.uint8)}
    compiled = compile_in_memory(model, chip(5), pipeline=PIXEL)
    np.testing.assert_array_equal(run_in_process(compiled, [sample])[0]["y"], golden(model, sample)["y"])


def test_partial_sums_are_added_pixel_by_pixel_and_pixels_are_messages():
    net = Net([1, 4, 3, 3])
    model = net.model(net.conv("x", 4, 8, (2, 2)))
    channel, pixel = check(model, chip(3, 5), packing="kernel", placement="pack")
    sent = [sum(count for count, _ in messages_and_bytes(each.programs).values()) for each in (channel, pixel)]
    assert sent[1] == 4 * sent[0] > 0  # 2 x 2 pixels


def test_operations_grow_with_the_pixels_only_in_this_scheme():
    sizes = {}
    for scheme in SCHEMES:
        for side in (2, 4):
            net = Net([1, 4, side, side])
            model = net.model(net.conv("x", 4, 8, (1, 1)))
            request = make_request(model, chip(4), cores=8, until="spat", lowering=scheme)
            module = compile_model(request, None).module
            sizes[scheme, side] = sum(isinstance(op, ApplyFiltersOp) for op in module.walk())
    assert sizes["channel", 2] == sizes["channel", 4]
    assert sizes["pixel", 4] == 4 * sizes["pixel", 2] == 16 * sizes["channel", 2]


def request(side, **more):
    net = Net([1, 1, side, side])
    arch = chip(4)
    model = net.model(net.conv("x", 1, 1, (1, 1)))
    return make_request(model, arch, cores=8, **more)


def test_refusals(tmp_path):
    with pytest.raises(CompileError, match=r"node conv1: pixel by pixel .* more than 10000 products"):
        compile_model(request(101, lowering="pixel"), tmp_path / "o")
    with pytest.raises(InputError, match="lowering 'row' is unknown: use 'channel' or 'pixel'"):
        compile_model(request(2, lowering="row"), tmp_path / "o")
    with pytest.raises(InputError, match="pipeline names others: name unroll-pixels there, before place"):
        compile_model(request(2, lowering="pixel", pipeline=",".join(PIPELINE)), tmp_path / "o")
    early = PIXEL.replace("unroll-pixels,", "").replace("cut-layers", "unroll-pixels,cut-layers")
    with pytest.raises(CompileError, match="is not cut: run the pass cut-layers before"):
        compile_model(request(2, pipeline=early), tmp_path / "o")
    assert not (tmp_path / "o").exists()

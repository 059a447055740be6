"""Convolutions and poolings over one to three dimensions, with batches, as onnxruntime computes them, on cores."""

import numpy as np
import pytest
from draws import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx import TensorProto
from onnx_models import one_node, random_array

from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError

GRANULARITIES = ("image", "rows:1", "rows:2")
batches = st.sampled_from([1, 1, 2, 3])


def small(size):
    return Arch(name="small", cores=1024, core=Core(crossbars=4096), crossbar=Crossbar(size, size))


def check(model, size=9, cores=40):
    """Whole tiles as onnxruntime says; rows the same bits."""
    wanted, first = None, None
    for granularity in GRANULARITIES:
        compiled = compile_in_memory(model, small(size), cores, granularity=granularity)
        sample = random_sample(compiled.inputs)
        (found,) = run_in_process(compiled, [sample])
        wanted = wanted or golden(model, sample)
        first = first or found
        assert_close(found, wanted)
        for name, array in found.items():
            assert array.shape == wanted[name].shape
            assert array.tobytes() == first[name].tobytes()


@st.composite
def windows(draw, largest=3, dilated=True):
    """Sizes of an image and attributes of a window over it, of 1 to 3 dimensions."""
    rank = draw(st.integers(1, 3))
    kernel = [draw(st.integers(1, largest)) for _ in range(rank)]
    attributes = {"kernel_shape": kernel, "strides": [draw(st.integers(1, 3)) for _ in kernel]}
    mode = draw(st.sampled_from(["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]))
    if mode == "NOTSET":
        attributes["pads"] = [draw(st.integers(0, size - 1)) for size in kernel * 2]
        if dilated:
            attributes["dilations"] = [draw(st.integers(1, 2)) for _ in kernel]
    else:
        attributes["auto_pad"] = mode
        attributes["strides"] = [min(pair) for pair in zip(kernel, attributes["strides"], strict=True)]
    return [draw(st.integers(1, 6)) for _ in kernel], attributes


def compiles(model, size=9):
    """`check`, unless the result is empty."""
    try:
        check(model, size)
    except CompileError as error:
        assume("it is empty" not in str(error))
        raise


@settings(max_examples=examples(15, 30))
@given(windows(), batches, st.sampled_from([(1, 3, 4), (2, 2, 3), (4, 1, 1), (2, 5, 2)]), st.booleans())
def test_convolution(view, batch, groups, bias):
    (image, attributes), (group, channels, filters) = view, groups
    weights = [random_array(group * filters, channels, *attributes["kernel_shape"])]
    weights += [random_array(group * filters, seed=1)] if bias else []
    compiles(one_node("Conv", (batch, group * channels, *image), *weights, group=group, **attributes))


@settings(max_examples=examples(15, 30))
@given(windows(), batches, st.booleans())
def test_max_pool(view, batch, ceil):
    image, attributes = view
    assume(not empty_windows(image, attributes))
    compiles(one_node("MaxPool", (batch, 3, *image), ceil_mode=int(ceil and "pads" in attributes), **attributes))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@settings(max_examples=10)
@given(windows(), batches)
def test_max_pool_of_integers(dtype, view, batch):
    """Its start value is the least of the type."""
    image, attributes = view
    assume(not empty_windows(image, attributes))
    code = {"int8": TensorProto.INT8, "uint8": TensorProto.UINT8}[dtype]
    model = one_node("MaxPool", (batch, 3, *image), dtype=code, **attributes)
    for granularity in GRANULARITIES:
        try:
            compiled = compile_in_memory(model, small(4), 20, granularity=granularity)
        except CompileError as error:
            assume("it is empty" not in str(error))
            raise
        info = np.iinfo(dtype)
        sample = {"x": np.random.default_rng(0).integers(info.min, info.max + 1, (batch, 3, *image)).astype(dtype)}
        (found,) = run_in_process(compiled, [sample])
        np.testing.assert_array_equal(found["y"], golden(model, sample)["y"])


@settings(max_examples=examples(15, 30))
@given(windows(), batches, st.booleans(), st.booleans())
def test_average_pool(view, batch, counted, ceil):
    image, attributes = view
    modes = {"count_include_pad": int(counted), "ceil_mode": int(ceil and "pads" in attributes)}
    assume(not empty_windows(image, attributes))
    compiles(one_node("AveragePool", (batch, 3, *image), opset=19, **modes, **attributes))


def empty_windows(image, attributes):
    """Whether some window has no tap inside of the image: onnxruntime makes up its maximum."""
    if "dilations" not in attributes:
        return False
    axes = zip(image, *(attributes[name] for name in ("kernel_shape", "strides", "dilations", "pads")), strict=False)
    return any(
        not any(0 <= first + tap * dilation < size for tap in range(kernel))
        for size, kernel, stride, dilation, begin in axes
        for first in range(-begin, size, stride)
    )


@st.composite
def transposed(draw):
    """Sizes of an image and attributes of a transposed convolution over it."""
    rank = draw(st.integers(1, 3))
    kernel, strides, dilations = ([draw(st.integers(1, most)) for _ in range(rank)] for most in (4, 3, 2))
    image = [draw(st.integers(1, 5)) for _ in kernel]
    attributes = {"kernel_shape": kernel, "strides": strides, "dilations": dilations}
    reach = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(image, strides, kernel, dilations, strict=True)]
    kind = draw(st.sampled_from(["pads", "pads", "auto", "shape"]))
    if kind == "auto":
        attributes["auto_pad"] = draw(st.sampled_from(["VALID", "SAME_UPPER", "SAME_LOWER"]))
    elif kind == "shape":
        attributes["output_shape"] = [
            draw(st.integers(1, size + s - 1)) for size, s in zip(reach, strides, strict=True)
        ]
    else:
        begins = [draw(st.integers(0, (size - 1) // 2)) for size in reach]
        attributes["pads"] = begins + [draw(st.integers(0, (size - 1) // 2)) for size in reach]
        attributes["output_padding"] = [draw(st.integers(0, stride - 1)) for stride in strides]
    return image, attributes


@settings(max_examples=examples(10, 50))
@given(transposed(), batches, st.sampled_from([(1, 3, 4), (2, 2, 3), (4, 1, 1), (2, 5, 2)]), st.booleans())
def test_transposed_convolution(view, batch, groups, bias):
    (image, attributes), (group, channels, filters) = view, groups
    weights = [random_array(group * channels, filters, *attributes["kernel_shape"])]
    weights += [random_array(group * filters, seed=1)] if bias else []
    try:
        check(one_node("ConvTranspose", (batch, group * channels, *image), *weights, group=group, **attributes))
    except CompileError as error:
        assume("reaches" not in str(error) and "but ONNX infers" not in str(error))
        raise


@pytest.mark.parametrize("kind", ["GlobalAveragePool", "GlobalMaxPool"])
@settings(max_examples=8)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), batches)
def test_global_pool(kind, image, batch):
    check(one_node(kind, (batch, 5, *image)), 3)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_size_does_not_depend_on_the_image(rank):
    """Loops go over every axis, and over the samples of a batch: nothing is unrolled over pixels."""
    lengths, crossbars = set(), set()
    for batch, size in ((2, 6), (5, 9)):
        model = one_node("Conv", (batch, 4, *[size] * rank), random_array(6, 4, *[3] * rank))
        programs = compile_in_memory(model, small(64), 40).programs.values()
        lengths.add(sum(len(program.main) for program in programs))
        crossbars.add(sum(program.crossbars for program in programs))
    assert len(lengths) == len(crossbars) == 1


def test_weights_stay_for_the_whole_batch():
    model = one_node("Conv", (4, 3, 5, 5), random_array(6, 3, 3, 3))
    one = one_node("Conv", (1, 3, 5, 5), random_array(6, 3, 3, 3))
    counts = [
        sum(program.crossbars for program in compile_in_memory(net, small(9), 40).programs.values())
        for net in (model, one)
    ]
    assert counts[0] == counts[1] > 0


def test_a_mean_over_samples_of_signals_is_one_instruction_per_channel():
    compiled = compile_in_memory(one_node("GlobalAveragePool", (3, 4, 1000)), small(9), 1)
    assert sum(len(program.main) for program in compiled.programs.values()) < 12
    assert np.isfinite(next(iter(run_in_process(compiled, [random_sample(compiled.inputs)])[0].values()))).all()


@settings(max_examples=10)
@given(st.lists(st.integers(1, 4), max_size=3), batches, st.integers(1, 6), st.integers(1, 9))
def test_local_response_normalisation(image, batch, channels, size):
    """By its definition: onnxruntime takes images only."""
    model = one_node("LRN", (batch, channels, *image), size=size, alpha=0.5, beta=0.6, bias=1.5)
    for granularity in GRANULARITIES:
        compiled = compile_in_memory(model, small(4), 20, granularity=granularity)
        sample = random_sample(compiled.inputs)
        x, before = sample["x"].astype(np.float64), (size - 1) // 2
        wide = np.pad(np.square(x), [(0, 0), (before, size - 1 - before), *[(0, 0)] * len(image)])
        sums = sum(wide[:, shift : shift + channels] for shift in range(size))
        wanted = {"y": x / (1.5 + 0.5 / size * sums) ** 0.6}
        assert_close(run_in_process(compiled, [sample])[0], wanted)


@settings(max_examples=10)
@given(st.lists(st.integers(1, 4), max_size=3), batches)
def test_batch_normalisation(image, batch):
    """Alone, after nothing that could take it in."""
    arrays = [random_array(5, seed=seed) for seed in range(3)] + [np.abs(random_array(5, seed=3)) + 0.5]
    check(one_node("BatchNormalization", (batch, 5, *image), *arrays, epsilon=1e-3))

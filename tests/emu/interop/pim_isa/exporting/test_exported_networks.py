"""Networks as PIM-ISA: a second opinion on convolutions and products of any shape, and the way there and back."""

import subprocess
import sys

import numpy as np
import onnx
import pytest
from commands import DIGITS
from exported_runs import imported, run_image, second_outputs
from in_process import golden
from onnx_models import one_node

from emu.image.reader import open_image
from emu.interop.pim_isa.exporting.export import export_image
from emu.interop.pim_isa.exporting.forms import FORMS, PROGRAM_FILES
from launch.images.compilation import compile_image
from launch.zoo import build, resnet
from launch.zoo.builder import NetBuilder


def whole_numbers(rng, *shape):
    """Floats whose sums of products are exact in any order."""
    return rng.integers(-4, 5, shape).astype(np.float32)


def convolution(rng):
    """A Conv of a random shape: channels, filters, kernel, strides, pads, dilations, groups, with or without bias."""
    groups = int(rng.choice([1, 1, 1, 2]))
    channels, filters = (groups * int(rng.integers(1, 13)) for _ in range(2))
    kernel, dilations, strides = rng.integers(1, 5, 2), rng.integers(1, 3, 2), rng.integers(1, 4, 2)
    size = (kernel - 1) * dilations + rng.integers(1, 9, 2)
    weights = [whole_numbers(rng, filters, channels // groups, *kernel)]
    weights += [whole_numbers(rng, filters)] * int(rng.integers(0, 2))
    settings = {
        "group": groups,
        "strides": strides.tolist(),
        "dilations": dilations.tolist(),
        "pads": rng.integers(0, 3, 4).tolist(),
        "kernel_shape": kernel.tolist(),
    }
    return one_node("Conv", (1, channels, *size.tolist()), *weights, **settings)


def product(rng):
    """A Gemm of a random shape, with or without transposed weights and bias."""
    rows, inner, columns = int(rng.integers(1, 5)), int(rng.integers(1, 300)), int(rng.integers(1, 200))
    turned = int(rng.integers(0, 2))
    weights = [whole_numbers(rng, columns, inner) if turned else whole_numbers(rng, inner, columns)]
    weights += [whole_numbers(rng, columns)] * int(rng.integers(0, 2))
    return one_node("Gemm", (rows, inner), *weights, transB=turned)


def compiled(model, folder, **options):
    """An image of a network."""
    onnx.save(model, folder / "net.onnx")
    compile_image(folder / "net.onnx", folder / "image", quiet=True, **{"golden": "none", **options})
    return folder / "image"


def three_agree(seed, folder):
    """onnxruntime, our step engine, and the second opinion on the export, of one random layer; all are exact."""
    rng = np.random.default_rng(seed)
    model = convolution(rng) if seed % 3 else product(rng)
    shape = [each.dim_value for each in model.graph.input[0].type.tensor_type.shape.dim]
    sample = {"x": whole_numbers(rng, *shape)}
    image = compiled(model, folder, arch=("tiny", "small")[seed % 2])
    export_image(open_image(image), folder / "export", ("pimsim", "json-dir")[seed // 2 % 2], ("npy", "json")[seed % 2])
    wanted = golden(model, sample)["y"]
    assert np.array_equal(run_image(image, sample)["y"], wanted)
    assert np.array_equal(second_outputs(image, folder / "export", sample)["y"], wanted)


@pytest.mark.few(5)
@pytest.mark.parametrize("seed", range(10))
def test_layers_by_three_ways(seed, tmp_path):
    three_agree(seed, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10, 210))
def test_many_layers_by_three_ways(seed, tmp_path):
    three_agree(seed, tmp_path)


def stage():
    """The second stage of ResNet-18, two blocks, of a small image and few channels."""
    net = NetBuilder("stage", 0, (1, 16, 8, 8))
    x = resnet.residual(net, "layer2.0", net.input, resnet.basic, 32, 2, resnet.BRANCH_GAIN)
    return net.finish(resnet.residual(net, "layer2.1", x, resnet.basic, 32, 1, resnet.BRANCH_GAIN))


def small_pools():
    """Means of three by three elements: a division that is no product."""
    net = NetBuilder("pools", 0, (1, 5, 7, 7))
    x = net.relu("relu", net.conv("conv", net.input, 7, 3, 1, 1))
    return net.finish(net.node("AveragePool", "pool", [x], kernel_shape=[3, 3], strides=[2, 2]))


NETS = {"digits": lambda: onnx.load(DIGITS), "lenet5": lambda: build("lenet5"), "stage": stage, "pools": small_pools}


@pytest.mark.few(2)
@pytest.mark.parametrize(("name", "form"), list(zip(NETS, FORMS, strict=True)))
def test_there_and_back(name, form, tmp_path):
    image = compiled(NETS[name](), tmp_path)
    export_image(open_image(image), tmp_path / "export", form)
    again = imported(tmp_path / "export" / PROGRAM_FILES[form], tmp_path / "again")
    ours = run_image(image, engine="batch")
    theirs = run_image(again, engine="batch")
    assert ours.keys() == theirs.keys()
    for name_, value in ours.items():
        assert value.tobytes() == theirs[name_].tobytes()
        assert np.abs(value).max() > 0
    if form != "pim":
        sample = {key: array[0] for key, array in open_image(image).default_inputs().items()}
        second = second_outputs(image, tmp_path / "export", sample)
        for name_, value in ours.items():
            assert np.allclose(second[name_], value, rtol=1e-4, atol=1e-4 * np.abs(value).max())


@pytest.mark.full
def test_a_whole_network_in_little_memory(tmp_path):
    image = compiled(build("resnet18"), tmp_path)
    code = (
        "import sys; from pathlib import Path; from emu.image.reader import open_image;"
        "from emu.interop.pim_isa.exporting.export import export_image;"
        "made = export_image(open_image(Path(sys.argv[1])), Path(sys.argv[2]));"
        "print(made.written.instructions, Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])"
    )
    command = [sys.executable, "-c", code, image, tmp_path / "export"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    instructions, kilobytes = map(int, told.split())
    assert instructions > 900_000
    assert kilobytes < 300_000

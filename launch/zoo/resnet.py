"""ResNet-18, -34, -50 and -101 (He et al. 2015; stride in the 3x3 convolution as in torchvision)."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

from onnx import ModelProto

from launch.zoo.builder import CLASSES, IMAGE, NetBuilder

BRANCH_GAIN = 0.4  # of a branch's last normalisation: 16 blocks then grow activations by about 3
BLOCKS = 16  # that grow them so: branches of deeper networks add less
WIDTHS = (64, 128, 256, 512)

Block = Callable[[NetBuilder, str, str, int, int, float], str]  # (net, name, x, width, stride, gain) -> branch


def resnet18(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 11.7 million weights."""
    return _resnet("resnet18", seed, basic, (2, 2, 2, 2))


def resnet34(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 21.8 million weights."""
    return _resnet("resnet34", seed, basic, (3, 4, 6, 3))


def resnet50(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 25.6 million weights."""
    return _resnet("resnet50", seed, _bottleneck, (3, 4, 6, 3))


def resnet101(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 44.5 million weights."""
    return _resnet("resnet101", seed, _bottleneck, (3, 4, 23, 3))


def _resnet(name: str, seed: int, block: Block, depths: tuple[int, ...]) -> ModelProto:
    net, gain = NetBuilder(name, seed, IMAGE), BRANCH_GAIN * min(1.0, sqrt(BLOCKS / sum(depths)))
    x = net.relu("relu", _conv_bn(net, "conv1", net.input, 64, 7, 2, 3))
    x = net.pool("MaxPool", "maxpool", x, 3, 2, 1)
    for stage, (width, depth) in enumerate(zip(WIDTHS, depths, strict=True), 1):
        for index in range(depth):
            stride = 2 if stage > 1 and index == 0 else 1
            x = residual(net, f"layer{stage}.{index}", x, block, width, stride, gain)
    x = net.flatten("flatten", net.node("GlobalAveragePool", "avgpool", [x]))
    return net.finish(net.gemm("fc", x, CLASSES))


def residual(net: NetBuilder, name: str, x: str, block: Block, width: int, stride: int, gain: float) -> str:
    """A block of `block` beside its input, which a 1x1 convolution fits to it where it must; both are added."""
    branch = block(net, name, x, width, stride, gain)
    if stride != 1 or net.channels(x) != net.channels(branch):
        x = _conv_bn(net, f"{name}.downsample", x, net.channels(branch), 1, stride, 0)
    return net.relu(f"{name}.relu", net.node("Add", f"{name}.add", [branch, x]))


def basic(net: NetBuilder, name: str, x: str, width: int, stride: int, gain: float) -> str:
    """Two convolutions of 3x3, each with its BatchNorm."""
    x = net.relu(f"{name}.relu1", _conv_bn(net, f"{name}.conv1", x, width, 3, stride, 1))
    return _conv_bn(net, f"{name}.conv2", x, width, 3, 1, 1, gain)


def _bottleneck(net: NetBuilder, name: str, x: str, width: int, stride: int, gain: float) -> str:
    x = net.relu(f"{name}.relu1", _conv_bn(net, f"{name}.conv1", x, width, 1, 1, 0))
    x = net.relu(f"{name}.relu2", _conv_bn(net, f"{name}.conv2", x, width, 3, stride, 1))
    return _conv_bn(net, f"{name}.conv3", x, 4 * width, 1, 1, 0, gain)


def _conv_bn(
    net: NetBuilder, name: str, x: str, filters: int, kernel: int, stride: int, pad: int, gain: float = 1.0
) -> str:
    return net.batch_norm(f"{name}.bn", net.conv(name, x, filters, kernel, stride, pad, bias=False), gain)

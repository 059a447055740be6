"""ResNet-18 and ResNet-50 (He et al. 2015; stride in the 3x3 convolution as in torchvision)."""

from __future__ import annotations

from collections.abc import Callable

from onnx import ModelProto

from compiler.zoo.builder import CLASSES, IMAGE, NetBuilder

BRANCH_GAIN = 0.4  # of a branch's last normalisation: 16 blocks then grow activations by about 3
WIDTHS = (64, 128, 256, 512)

Block = Callable[[NetBuilder, str, str, int, int], str]  # (net, name, x, width, stride) -> branch


def resnet18(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 11.7 million weights."""
    return _resnet("resnet18", seed, _basic, (2, 2, 2, 2))


def resnet50(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 25.6 million weights."""
    return _resnet("resnet50", seed, _bottleneck, (3, 4, 6, 3))


def _resnet(name: str, seed: int, block: Block, depths: tuple[int, ...]) -> ModelProto:
    net = NetBuilder(name, seed, IMAGE)
    x = net.relu("relu", _conv_bn(net, "conv1", net.input, 64, 7, 2, 3))
    x = net.pool("MaxPool", "maxpool", x, 3, 2, 1)
    for stage, (width, depth) in enumerate(zip(WIDTHS, depths, strict=True), 1):
        for index in range(depth):
            x = _residual(net, f"layer{stage}.{index}", x, block, width, 2 if stage > 1 and index == 0 else 1)
    x = net.flatten("flatten", net.node("GlobalAveragePool", "avgpool", [x]))
    return net.finish(net.gemm("fc", x, CLASSES))


def _residual(net: NetBuilder, name: str, x: str, block: Block, width: int, stride: int) -> str:
    branch = block(net, name, x, width, stride)
    if stride != 1 or net.channels(x) != net.channels(branch):
        x = _conv_bn(net, f"{name}.downsample", x, net.channels(branch), 1, stride, 0)
    return net.relu(f"{name}.relu", net.node("Add", f"{name}.add", [branch, x]))


def _basic(net: NetBuilder, name: str, x: str, width: int, stride: int) -> str:
    x = net.relu(f"{name}.relu1", _conv_bn(net, f"{name}.conv1", x, width, 3, stride, 1))
    return _conv_bn(net, f"{name}.conv2", x, width, 3, 1, 1, BRANCH_GAIN)


def _bottleneck(net: NetBuilder, name: str, x: str, width: int, stride: int) -> str:
    x = net.relu(f"{name}.relu1", _conv_bn(net, f"{name}.conv1", x, width, 1, 1, 0))
    x = net.relu(f"{name}.relu2", _conv_bn(net, f"{name}.conv2", x, width, 3, stride, 1))
    return _conv_bn(net, f"{name}.conv3", x, 4 * width, 1, 1, 0, BRANCH_GAIN)


def _conv_bn(
    net: NetBuilder, name: str, x: str, filters: int, kernel: int, stride: int, pad: int, gain: float = 1.0
) -> str:
    return net.batch_norm(f"{name}.bn", net.conv(name, x, filters, kernel, stride, pad, bias=False), gain)

"""A small 3-D ResNet for video (Tran et al. 2018, R3D), one block per stage and half as wide."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import NetBuilder
from launch.zoo.resnet import BRANCH_GAIN

CLIP = (1, 3, 8, 56, 56)  # [batch, channels, frames, height, width]
WIDTHS = (32, 64, 128, 256)
CLASSES = 400  # of Kinetics
CUBE = (3, 3, 3)


def resnet3d_small(seed: int = 0) -> ModelProto:
    """1x3x8x56x56 -> 1x400; 3.7 million weights."""
    net = NetBuilder("resnet3d_small", seed, CLIP)
    x = net.conv("stem", net.input, WIDTHS[0], (3, 7, 7), (1, 2, 2), (1, 3, 3), bias=False)
    x = net.relu("stem.relu", net.batch_norm("stem.bn", x))
    for stage, width in enumerate(WIDTHS, 1):
        x = _block(net, f"layer{stage}", x, width, 1 if stage == 1 else 2)
    x = net.flatten("flatten", net.node("GlobalAveragePool", "avgpool", [x]))
    return net.finish(net.gemm("fc", x, CLASSES))


def _block(net: NetBuilder, name: str, x: str, width: int, stride: int) -> str:
    """Two convolutions beside the identity, or beside a pointwise convolution where the shape changes."""
    branch = net.conv(f"{name}.conv1", x, width, CUBE, stride, 1, bias=False)
    branch = net.relu(f"{name}.relu1", net.batch_norm(f"{name}.bn1", branch))
    branch = net.conv(f"{name}.conv2", branch, width, CUBE, 1, 1, bias=False)
    branch = net.batch_norm(f"{name}.bn2", branch, BRANCH_GAIN)
    if stride > 1:
        x = net.conv(f"{name}.downsample", x, width, (1, 1, 1), stride, bias=False)
        x = net.batch_norm(f"{name}.downsample.bn", x)
    return net.relu(f"{name}.relu", net.node("Add", f"{name}.add", [branch, x]))

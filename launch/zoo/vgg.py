"""VGG-16 (Simonyan & Zisserman 2014), and VGG-7 for images of CIFAR-10 (Li & Liu, Ternary Weight Networks, 2016)."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import CLASSES, IMAGE, NetBuilder

STAGES = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))  # (filters, convolutions)
SMALL_IMAGE, SMALL_STAGES, SMALL_CLASSES = (1, 3, 32, 32), ((128, 2), (256, 2), (512, 2)), 10


def vgg16(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 138 million weights."""
    net = NetBuilder("vgg16", seed, IMAGE)
    x = net.flatten("flatten", _features(net, STAGES), 49)
    for name in ("fc6", "fc7"):
        x = net.dropout(f"{name}.dropout", net.relu(f"{name}.relu", net.gemm(name, x, 4096)))
    return net.finish(net.gemm("fc8", x, CLASSES))


def vgg7(seed: int = 0) -> ModelProto:
    """1x3x32x32 -> 1x10; 13.0 million weights in six convolutions, a layer of 1024 and the classes."""
    net = NetBuilder("vgg7", seed, SMALL_IMAGE)
    x = net.flatten("flatten", _features(net, SMALL_STAGES), 16)
    x = net.relu("fc1.relu", net.gemm("fc1", x, 1024))
    return net.finish(net.gemm("fc2", x, SMALL_CLASSES))


def _features(net: NetBuilder, stages: tuple[tuple[int, int], ...]) -> str:
    """Stages of 3x3 convolutions, with a pooling of 2x2 after each."""
    x = net.input
    for stage, (filters, depth) in enumerate(stages, 1):
        for index in range(1, depth + 1):
            name = f"conv{stage}_{index}"
            x = net.relu(f"{name}.relu", net.conv(name, x, filters, 3, pad=1))
        x = net.pool("MaxPool", f"pool{stage}", x, 2, 2)
    return x

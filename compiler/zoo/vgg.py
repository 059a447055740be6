"""VGG-16 (Simonyan & Zisserman 2014)."""

from __future__ import annotations

from onnx import ModelProto

from compiler.zoo.builder import CLASSES, IMAGE, NetBuilder

STAGES = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))  # (filters, convolutions)


def vgg16(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 138 million weights."""
    net = NetBuilder("vgg16", seed, IMAGE)
    x = net.input
    for stage, (filters, depth) in enumerate(STAGES, 1):
        for index in range(1, depth + 1):
            name = f"conv{stage}_{index}"
            x = net.relu(f"{name}.relu", net.conv(name, x, filters, 3, pad=1))
        x = net.pool("MaxPool", f"pool{stage}", x, 2, 2)
    x = net.flatten("flatten", x, 49)
    for name in ("fc6", "fc7"):
        x = net.dropout(f"{name}.dropout", net.relu(f"{name}.relu", net.gemm(name, x, 4096)))
    return net.finish(net.gemm("fc8", x, CLASSES))

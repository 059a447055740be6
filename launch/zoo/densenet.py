"""DenseNet-121 (Huang et al. 2016), growth 32, as torchvision has it: normalisations before the convolutions."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import CLASSES, IMAGE, NetBuilder

GROWTH, BOTTLENECK, FIRST = 32, 4, 64
BLOCKS = (6, 12, 24, 16)  # layers


def densenet(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 8 million weights."""
    net = NetBuilder("densenet", seed, IMAGE)
    x = net.conv("conv0", net.input, FIRST, 7, 2, 3, bias=False)
    x = net.pool("MaxPool", "pool0", net.relu("relu0", net.batch_norm("norm0", x)), 3, 2, 1)
    for block, layers in enumerate(BLOCKS, 1):
        for layer in range(layers):
            x = net.concat(f"block{block}.{layer}.concat", [x, _layer(net, f"block{block}.{layer}", x)])
        if block < len(BLOCKS):
            x = _bn_relu_conv(net, f"transition{block}", x, net.channels(x) // 2, 1)
            x = net.pool("AveragePool", f"transition{block}.pool", x, 2, 2)
    x = net.relu("relu5", net.batch_norm("norm5", x))
    x = net.flatten("flatten", net.node("GlobalAveragePool", "avgpool", [x]))
    return net.finish(net.gemm("classifier", x, CLASSES))


def _layer(net: NetBuilder, name: str, x: str) -> str:
    """What a layer adds to the channels of its block."""
    x = _bn_relu_conv(net, f"{name}.1", x, BOTTLENECK * GROWTH, 1)
    return _bn_relu_conv(net, f"{name}.2", x, GROWTH, 3)


def _bn_relu_conv(net: NetBuilder, name: str, x: str, filters: int, kernel: int) -> str:
    x = net.relu(f"{name}.relu", net.batch_norm(f"{name}.norm", x))
    return net.conv(f"{name}.conv", x, filters, kernel, pad=kernel // 2, bias=False)

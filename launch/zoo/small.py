"""LeNet-5 (LeCun et al. 1998, with its tanh and mean pooling) and a three-layer perceptron."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import NetBuilder


def lenet5(seed: int = 0) -> ModelProto:
    """1x1x28x28 -> 1x10."""
    net = NetBuilder("lenet5", seed, (1, 1, 28, 28))
    x = net.input
    for index, (filters, pad) in enumerate(((6, 2), (16, 0)), 1):
        x = net.conv(f"conv{index}", x, filters, 5, pad=pad)
        x = net.node("Tanh", f"tanh{index}", [x])
        x = net.pool("AveragePool", f"pool{index}", x, 2, 2)
    x = net.flatten("flatten", x, 25)
    for index, features in enumerate((120, 84), 1):
        x = net.node("Tanh", f"fc{index}.tanh", [net.gemm(f"fc{index}", x, features)])
    return net.finish(net.gemm("fc3", x, 10))


def mlp3(seed: int = 0) -> ModelProto:
    """1x784 -> 1024 -> 512 -> 10."""
    net = NetBuilder("mlp3", seed, (1, 784))
    x = net.input
    for index, features in enumerate((1024, 512), 1):
        x = net.relu(f"relu{index}", net.gemm(f"fc{index}", x, features))
    return net.finish(net.gemm("fc3", x, 10))

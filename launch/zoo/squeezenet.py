"""SqueezeNet 1.1 (Iandola et al. 2016): fire modules, no fully connected layer."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import CLASSES, IMAGE, NetBuilder

FIRES = (  # (squeeze, expand) of fire2 to fire9
    (16, 64),
    (16, 64),
    (32, 128),
    (32, 128),
    (48, 192),
    (48, 192),
    (64, 256),
    (64, 256),
)
POOL_AFTER = (3, 5)


def squeezenet(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000 probabilities; 1.2 million weights."""
    net = NetBuilder("squeezenet", seed, IMAGE)
    x = net.relu("conv1.relu", net.conv("conv1", net.input, 64, 3, 2))
    x = net.pool("MaxPool", "pool1", x, 3, 2, ceil=True)
    for index, (squeeze, expand) in enumerate(FIRES, 2):
        x = _fire(net, f"fire{index}", x, squeeze, expand)
        if index in POOL_AFTER:
            x = net.pool("MaxPool", f"pool{index}", x, 3, 2, ceil=True)
    x = net.conv("conv10", net.dropout("dropout", x), CLASSES, 1)
    x = net.node("GlobalAveragePool", "pool10", [net.relu("conv10.relu", x)])
    return net.finish(net.node("Softmax", "softmax", [net.flatten("flatten", x)], axis=1))


def _fire(net: NetBuilder, name: str, x: str, squeeze: int, expand: int) -> str:
    """A narrow 1x1 convolution, then 1x1 and 3x3 ones side by side."""
    x = net.relu(f"{name}.squeeze.relu", net.conv(f"{name}.squeeze", x, squeeze, 1))
    one = net.relu(f"{name}.expand1x1.relu", net.conv(f"{name}.expand1x1", x, expand, 1))
    three = net.relu(f"{name}.expand3x3.relu", net.conv(f"{name}.expand3x3", x, expand, 3, pad=1))
    return net.concat(f"{name}.concat", [one, three])

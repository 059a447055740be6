"""GoogLeNet (Szegedy et al. 2014), as BVLC distributes it: ceil-mode pools, two LRNs, softmax at the end."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import CLASSES, IMAGE, NetBuilder

LRN_GAIN = 50.0  # real activations there are of this order (pixels up to 255); at order 1, LRN would do nothing
INCEPTIONS = {  # name -> (1x1, 3x3 reduce, 3x3, 5x5 reduce, 5x5, pool projection)
    "3a": (64, 96, 128, 16, 32, 32),
    "3b": (128, 128, 192, 32, 96, 64),
    "4a": (192, 96, 208, 16, 48, 64),
    "4b": (160, 112, 224, 24, 64, 64),
    "4c": (128, 128, 256, 24, 64, 64),
    "4d": (112, 144, 288, 32, 64, 64),
    "4e": (256, 160, 320, 32, 128, 128),
    "5a": (256, 160, 320, 32, 128, 128),
    "5b": (384, 192, 384, 48, 128, 128),
}
POOL_AFTER = {"3b": "pool3", "4e": "pool4"}


def googlenet(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000 probabilities; 7 million weights."""
    net = NetBuilder("googlenet", seed, IMAGE)
    x = _conv(net, "conv1", net.input, 64, 7, 2, 3, LRN_GAIN)
    x = _lrn(net, "norm1", net.pool("MaxPool", "pool1", x, 3, 2, ceil=True))
    x = _conv(net, "conv2.reduce", x, 64, 1, gain=1 / LRN_GAIN)
    x = _lrn(net, "norm2", _conv(net, "conv2", x, 192, 3, 1, 1, LRN_GAIN))
    x = net.pool("MaxPool", "pool2", x, 3, 2, ceil=True)
    for name, widths in INCEPTIONS.items():
        x = _inception(net, f"inception_{name}", x, widths, 1 / LRN_GAIN if name == "3a" else 1.0)
        if name in POOL_AFTER:
            x = net.pool("MaxPool", POOL_AFTER[name], x, 3, 2, ceil=True)
    x = net.dropout("dropout", net.pool("AveragePool", "pool5", x, 7, 1))
    x = net.gemm("classifier", net.flatten("flatten", x), CLASSES)
    return net.finish(net.node("Softmax", "softmax", [x], axis=1))


def _inception(net: NetBuilder, name: str, x: str, widths: tuple[int, ...], gain: float) -> str:
    """Four branches side by side; `gain` scales the first convolution of each."""
    one, reduce3, three, reduce5, five, project = widths
    branches = [_conv(net, f"{name}.1x1", x, one, 1, gain=gain)]
    for size, reduced, filters in ((3, reduce3, three), (5, reduce5, five)):
        narrow = _conv(net, f"{name}.{size}x{size}_reduce", x, reduced, 1, gain=gain)
        branches.append(_conv(net, f"{name}.{size}x{size}", narrow, filters, size, 1, size // 2))
    pooled = net.pool("MaxPool", f"{name}.pool", x, 3, 1, 1)
    branches.append(_conv(net, f"{name}.pool_proj", pooled, project, 1, gain=gain))
    return net.concat(f"{name}.output", branches)


def _conv(
    net: NetBuilder, name: str, x: str, filters: int, kernel: int, stride: int = 1, pad: int = 0, gain: float = 1.0
) -> str:
    return net.relu(f"{name}.relu", net.conv(name, x, filters, kernel, stride, pad, gain=gain))


def _lrn(net: NetBuilder, name: str, x: str) -> str:
    return net.node("LRN", name, [x], size=5, alpha=1e-4, beta=0.75, bias=1.0)

"""ShuffleNetV2 (Ma et al. 2018), width 1.0, as torchvision has it: channels are split, joined and shuffled."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import CLASSES, IMAGE, NetBuilder

STAGES = ((116, 4), (232, 8), (464, 4))  # (channels, units); the first unit has stride 2
FIRST, LAST = 24, 1024
GAIN = 0.5  # of what follows a depthwise convolution, which has no Relu


def shufflenet(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 2.3 million weights."""
    net = NetBuilder("shufflenet", seed, IMAGE)
    x = net.relu("conv1.relu", _conv_bn(net, "conv1", net.input, FIRST, 3, 2))
    x = net.pool("MaxPool", "maxpool", x, 3, 2, 1)
    size = IMAGE[2] // 4
    for stage, (channels, units) in enumerate(STAGES, 2):
        size //= 2
        for unit in range(units):
            name = f"stage{stage}.{unit}"
            halves = _kept(net, name, x) if unit else _reduced(net, name, x, channels // 2)
            x = _shuffled(net, name, net.concat(f"{name}.concat", halves), size)
    x = net.relu("conv5.relu", _conv_bn(net, "conv5", x, LAST, 1))
    x = net.node("ReduceMean", "mean", [x], axes=[2, 3], keepdims=0)
    return net.finish(net.gemm("fc", x, CLASSES))


def _kept(net: NetBuilder, name: str, x: str) -> list[str]:
    """One half as it is, the other half through the branch."""
    half = net.channels(x) // 2
    sizes = net.integers(f"halves{half}", (half, half))
    left, right = net.parts("Split", f"{name}.split", [x, sizes], (half, half), axis=1)
    return [left, _branch(net, f"{name}.branch2", right, half, 1)]


def _reduced(net: NetBuilder, name: str, x: str, width: int) -> list[str]:
    """Both branches see all channels and halve height and width."""
    left = _conv_bn(net, f"{name}.branch1.depthwise", x, net.channels(x), 3, 2, net.channels(x))
    left = net.relu(f"{name}.branch1.relu", _conv_bn(net, f"{name}.branch1.pointwise", left, width, 1, gain=GAIN))
    return [left, _branch(net, f"{name}.branch2", x, width, 2)]


def _branch(net: NetBuilder, name: str, x: str, width: int, stride: int) -> str:
    """Pointwise, depthwise, pointwise."""
    x = net.relu(f"{name}.relu1", _conv_bn(net, f"{name}.pointwise1", x, width, 1))
    x = _conv_bn(net, f"{name}.depthwise", x, width, 3, stride, width)
    return net.relu(f"{name}.relu2", _conv_bn(net, f"{name}.pointwise2", x, width, 1, gain=GAIN))


def _shuffled(net: NetBuilder, name: str, x: str, size: int) -> str:
    """Channels of both halves in turn: Reshape, Transpose, Reshape."""
    channels = net.channels(x)
    apart = net.integers(f"apart{channels}", (1, 2, channels // 2, size, size))
    together = net.integers(f"together{channels}", (1, channels, size, size))
    x = net.node("Reshape", f"{name}.apart", [x, apart], 2)
    x = net.node("Transpose", f"{name}.turned", [x], channels // 2, perm=[0, 2, 1, 3, 4])
    return net.node("Reshape", f"{name}.shuffled", [x, together], channels)


def _conv_bn(
    net: NetBuilder, name: str, x: str, filters: int, kernel: int, stride: int = 1, group: int = 1, gain: float = 1.0
) -> str:
    x = net.conv(name, x, filters, kernel, stride, kernel // 2, group, bias=False, gain=gain)
    return net.batch_norm(f"{name}.bn", x)

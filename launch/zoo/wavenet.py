"""WaveNet (van den Oord et al. 2016): dilated causal convolutions, gates of tanh and sigmoid, sums of skips."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import NetBuilder

SAMPLES = 1024
RESIDUAL, SKIP, LEVELS = 32, 64, 256  # channels; values of a sample by mu-law
DILATIONS = tuple(2**power for power in range(8)) * 2
GAIN = 0.6  # what follows no Relu takes less than a filter's usual variance


def wavenet(seed: int = 0) -> ModelProto:
    """1x1x1024 -> 1x256x1024; 0.2 million weights, 16 layers in two stacks."""
    net = NetBuilder("wavenet", seed, (1, 1, SAMPLES))
    x, skips = _causal(net, "first", net.input, RESIDUAL, 1), list[str]()
    for layer, dilation in enumerate(DILATIONS):
        name = f"layers.{layer}"
        gated = _gate(net, name, x, dilation)
        skips.append(net.conv(f"{name}.skip", gated, SKIP, (1,), gain=GAIN))
        x = net.node("Add", f"{name}.add", [net.conv(f"{name}.residual", gated, RESIDUAL, (1,), gain=GAIN), x])
    total = skips[0]
    for layer, skip in enumerate(skips[1:], 1):
        total = net.node("Add", f"skip_sum.{layer}", [total, skip])
    x = net.conv("end1", net.relu("end_relu1", total), LEVELS, (1,), gain=0.6)
    x = net.conv("end2", net.relu("end_relu2", x), LEVELS, (1,))
    return net.finish(x, shape=(1, LEVELS, SAMPLES))


def _gate(net: NetBuilder, name: str, x: str, dilation: int) -> str:
    """tanh of one half of the channels times the sigmoid of the other."""
    both = _causal(net, f"{name}.dilated", x, 2 * RESIDUAL, dilation)
    sizes = net.integers("halves", (RESIDUAL, RESIDUAL))
    value, gate = net.parts("Split", f"{name}.split", [both, sizes], (RESIDUAL, RESIDUAL), axis=1)
    sides = [net.node("Tanh", f"{name}.tanh", [value]), net.node("Sigmoid", f"{name}.sigmoid", [gate])]
    return net.node("Mul", f"{name}.gated", sides)


def _causal(net: NetBuilder, name: str, x: str, filters: int, dilation: int) -> str:
    """A convolution of two samples, the earlier one `dilation` before: zeros are padded at the front."""
    pads = net.integers(f"pads{dilation}", (0, 0, dilation, 0, 0, 0))
    padded = net.node("Pad", f"{name}.pad", [x, pads])
    return net.conv(name, padded, filters, (2,), gain=GAIN, dilation=dilation)

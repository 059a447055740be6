"""U-Net (Ronneberger et al. 2015), normalised and padded, 16 channels wide on the first of its four levels."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import NetBuilder

IMAGE = (1, 3, 128, 128)
WIDTHS = (16, 32, 64, 128)  # per level; twice as many again at the bottom
CLASSES = 2
GAIN = 0.9  # 18 convolutions in a row


def unet(seed: int = 0) -> ModelProto:
    """1x3x128x128 -> 1x2x128x128; 1.9 million weights."""
    net = NetBuilder("unet", seed, IMAGE)
    x, skips = net.input, list[str]()
    for level, width in enumerate(WIDTHS):
        skips.append(_double(net, f"down{level}", x, width))
        x = net.pool("MaxPool", f"pool{level}", skips[-1], 2, 2)
    x = _double(net, "bottom", x, 2 * WIDTHS[-1])
    for level in reversed(range(len(WIDTHS))):
        x = net.upsample(f"up{level}.upsample", x, WIDTHS[level], 0.6)
        x = _double(net, f"up{level}", net.concat(f"up{level}.skip", [skips[level], x]), WIDTHS[level])
    x = net.conv("head", x, CLASSES, 1, gain=0.6)
    return net.finish(x, shape=(1, CLASSES, *IMAGE[2:]))


def _double(net: NetBuilder, name: str, x: str, width: int) -> str:
    """Twice a convolution with normalisation and Relu."""
    for index in (1, 2):
        x = net.conv(f"{name}.conv{index}", x, width, 3, pad=1, bias=False, gain=GAIN)
        x = net.relu(f"{name}.relu{index}", net.batch_norm(f"{name}.bn{index}", x))
    return x

"""MobileNetV2 (Sandler et al. 2018), width 1.0; ends in ReduceMean, as newer exporters write it."""

from __future__ import annotations

from onnx import ModelProto

from launch.zoo.builder import CLASSES, IMAGE, NetBuilder

BRANCH_GAIN = 0.5
STAGES = (  # (expansion, channels, blocks, stride of the first)
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


def mobilenet_v2(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 3.5 million weights."""
    net = NetBuilder("mobilenet_v2", seed, IMAGE)
    x = _conv_bn_relu6(net, "stem", net.input, 32, 3, 2)
    for stage, (expansion, channels, blocks, stride) in enumerate(STAGES, 1):
        for index in range(blocks):
            x = _block(net, f"block{stage}.{index}", x, expansion, channels, 1 if index else stride)
    x = _conv_bn_relu6(net, "head", x, 1280, 1)
    x = net.node("ReduceMean", "mean", [x], axes=[2, 3], keepdims=0)
    return net.finish(net.gemm("classifier", net.dropout("dropout", x), CLASSES))


def _block(net: NetBuilder, name: str, x: str, expansion: int, channels: int, stride: int) -> str:
    """Expand, filter each channel, project without activation; add where the shape is kept."""
    hidden = expansion * net.channels(x)
    wide = _conv_bn_relu6(net, f"{name}.expand", x, hidden, 1) if expansion > 1 else x
    wide = _conv_bn_relu6(net, f"{name}.depthwise", wide, hidden, 3, stride, group=hidden)
    kept = stride == 1 and net.channels(x) == channels
    projected = net.conv(f"{name}.project", wide, channels, 1, bias=False)
    projected = net.batch_norm(f"{name}.project.bn", projected, BRANCH_GAIN if kept else 1.0)
    return net.node("Add", f"{name}.add", [x, projected]) if kept else projected


def _conv_bn_relu6(
    net: NetBuilder, name: str, x: str, filters: int, kernel: int, stride: int = 1, group: int = 1
) -> str:
    y = net.conv(name, x, filters, kernel, stride, kernel // 2, group, bias=False)
    return net.relu6(f"{name}.relu6", net.batch_norm(f"{name}.bn", y))

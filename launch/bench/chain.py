"""A network of any size: a chain of equal 3 x 3 convolutions."""

from __future__ import annotations

from pathlib import Path

from emu.output.whole_file import write_whole


def write_chain(path: str, depth: int, channels: int, size: int) -> None:
    """Write `depth` convolutions of `channels` channels over an image of 3 x `size` x `size` as an ONNX file."""
    from compiler.zoo.builder import NetBuilder

    net = NetBuilder("chain", 0, (1, 3, size, size))
    x = net.input
    for index in range(depth):
        x = net.relu(f"relu{index}", net.conv(f"conv{index}", x, channels, 3, pad=1))
    x = net.flatten("flatten", net.node("GlobalAveragePool", "pool", [x]))
    write_whole(Path(path), net.finish(x).SerializeToString(deterministic=True))

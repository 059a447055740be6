"""A network of any size, a chain of equal 3 x 3 convolutions, as an ONNX file and as MLIR text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from emu.output.whole_file import write_whole


def write_chain(path: str, depth: int, channels: int, size: int) -> None:
    """Write `depth` convolutions of `channels` channels over an image of 3 x `size` x `size` as an ONNX file."""
    from launch.zoo.builder import NetBuilder

    net = NetBuilder("chain", 0, (1, 3, size, size))
    x = net.input
    for index in range(depth):
        x = net.relu(f"relu{index}", net.conv(f"conv{index}", x, channels, 3, pad=1))
    x = net.flatten("flatten", net.node("GlobalAveragePool", "pool", [x]))
    write_whole(Path(path), net.finish(x).SerializeToString(deterministic=True))


_MAP = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>"


def write_chain_text(source: str, path: str, size: int) -> None:
    """Write the network of the ONNX file `source`, of images of `size` x `size`, as torch-mlir prints such a one."""
    import onnx
    from onnx import numpy_helper

    model: Any = onnx.load(source)
    arrays = {entry.name: numpy_helper.to_array(entry) for entry in model.graph.initializer}
    lines, value, channels = list[str](), "%x", 3
    for number, node in enumerate(each for each in model.graph.node if each.op_type == "Conv"):
        weight, bias = (arrays[name] for name in node.input[1:3])
        lines += _layer(number, value, channels, weight, bias, size)
        value, channels = f"%y{number}", len(bias)
    image, vector = f"tensor<1x{channels}x{size}x{size}xf32>", f"tensor<1x{channels}xf32>"
    lines += [
        f"%begin = tensor.empty() : {vector}",
        f"%none = linalg.fill ins(%zero : f32) outs(%begin : {vector}) -> {vector}",
        f"%total = linalg.reduce ins({value} : {image}) outs(%none : {vector}) dimensions = [2, 3]",
        "  (%in: f32, %before: f32) {",
        "    %more = arith.addf %before, %in : f32",
        "    linalg.yield %more : f32",
        "  }",
        f"%share = arith.constant dense<{1 / size**2:.9e}> : {vector}",
        f"%mean = arith.mulf %total, %share : {vector}",
        f"return %mean : {vector}",
    ]
    body = "\n".join(f"  {line}" for line in ["%zero = arith.constant 0.0 : f32", *lines])
    text = f"func.func @main(%x: tensor<1x3x{size}x{size}xf32>) -> {vector} {{\n{body}\n}}\n"
    write_whole(Path(path), text.encode())


def _layer(number: int, value: str, channels: int, weight: np.ndarray, bias: np.ndarray, size: int) -> list[str]:
    """A convolution with zeros around the image, a bias, and a ReLU."""
    filters, wide = len(bias), size + 2
    given, padded = f"tensor<1x{channels}x{size}x{size}xf32>", f"tensor<1x{channels}x{wide}x{wide}xf32>"
    kernel, made = f"tensor<{filters}x{channels}x3x3xf32>", f"tensor<1x{filters}x{size}x{size}xf32>"
    ones = "dense<1> : vector<2xi64>"
    return [
        f'%w{number} = arith.constant dense<"0x{weight.astype("<f4").tobytes().hex().upper()}"> : {kernel}',
        f'%b{number} = arith.constant dense<"0x{bias.astype("<f4").tobytes().hex().upper()}"> : tensor<{filters}xf32>',
        f"%p{number} = tensor.pad {value} low[0, 0, 1, 1] high[0, 0, 1, 1] {{",
        "^bb0(%a: index, %b: index, %c: index, %d: index):",
        "  tensor.yield %zero : f32",
        f"}} : {given} to {padded}",
        f"%e{number} = tensor.empty() : {made}",
        f"%s{number} = linalg.broadcast ins(%b{number} : tensor<{filters}xf32>) outs(%e{number} : {made})"
        " dimensions = [0, 2, 3]",
        f"%c{number} = linalg.conv_2d_nchw_fchw {{dilations = {ones}, strides = {ones}}}"
        f" ins(%p{number}, %w{number} : {padded}, {kernel}) outs(%s{number} : {made}) -> {made}",
        f"%y{number} = linalg.generic {{indexing_maps = [{_MAP}, {_MAP}], iterator_types ="
        ' ["parallel", "parallel", "parallel", "parallel"]}'
        f" ins(%c{number} : {made}) outs(%e{number} : {made}) {{",
        "^bb0(%in: f32, %out: f32):",
        "  %most = arith.maximumf %in, %zero : f32",
        "  linalg.yield %most : f32",
        f"}} -> {made}",
    ]

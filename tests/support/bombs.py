"""Small files that stand for huge things: networks, and archives of arrays."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, helper
from onnx_models import make_model, one_node

NODE = helper.make_node


def laughs(depth: int = 25) -> ModelProto:
    """Functions that call the one before twice."""
    model = make_model([NODE(f"f{depth}", ["x"], ["y"], "laugh", domain="d")], {"x": (1, 8)})
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("d", 1)]
    bodies = [[NODE("Relu", ["a"], ["b"])]]
    bodies += [[NODE(f"f{k}", ["a"], ["c"], domain="d"), NODE(f"f{k}", ["c"], ["b"], domain="d")] for k in range(depth)]
    functions = [helper.make_function("d", f"f{k}", ["a"], ["b"], body, opsets) for k, body in enumerate(bodies)]
    return with_functions(model, functions)


def with_functions(model: ModelProto, functions: Sequence[FunctionProto]) -> ModelProto:
    model.functions.extend(functions)
    model.opset_import.append(helper.make_opsetid("d", 1))
    return model


def calls(depth: int) -> ModelProto:
    """Functions that call the one before once."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("d", 1)]
    inner = [NODE("Relu", ["a"], ["b"])]
    functions = [helper.make_function("d", "f0", ["a"], ["b"], inner, opsets)]
    functions += [
        helper.make_function("d", f"f{k + 1}", ["a"], ["b"], [NODE(f"f{k}", ["a"], ["b"], domain="d")], opsets)
        for k in range(depth)
    ]
    return with_functions(make_model([NODE(f"f{depth}", ["x"], ["y"], domain="d")], {"x": (1, 8)}), functions)


def circle() -> ModelProto:
    """A function that calls itself twice."""
    opsets = [helper.make_opsetid("d", 1)]
    body = [NODE("f", ["a"], ["c"], domain="d"), NODE("f", ["c"], ["b"], domain="d")]
    model = make_model([NODE("f", ["x"], ["y"], domain="d")], {"x": (1, 8)})
    return with_functions(model, [helper.make_function("d", "f", ["a"], ["b"], body, opsets)])


def joins(times: int, shape: Sequence[int], axis: int = 1) -> ModelProto:
    """Each node joins what the one before made with itself."""
    nodes = [NODE("Concat", [f"v{k}" if k else "x"] * 2, [f"v{k + 1}"], axis=axis) for k in range(times)]
    return make_model(nodes, {"x": shape}, [f"v{times}"])


def joined_shapes(times: int = 40) -> ModelProto:
    """The same with the shape of the input, which ONNX follows as a value."""
    joined = [NODE("Concat", [f"v{k}"] * 2, [f"v{k + 1}"], axis=0) for k in range(times)]
    nodes = [NODE("Shape", ["x"], ["v0"]), *joined, NODE("Reshape", ["x", f"v{times}"], ["y"])]
    return make_model(nodes, {"x": (1, 8)})


def constants(kind: str, names: Sequence[str], *, x: Sequence[int] = (1, 8), **values: object) -> ModelProto:
    """x + kind(constants)."""
    weights = {name: np.asarray(values[name]) for name in names}
    return make_model([NODE(kind, list(names), ["made"]), NODE("Add", ["x", "made"], ["y"])], {"x": x}, weights=weights)


def folded_chain(kind: str, count: int) -> ModelProto:
    nodes = [NODE(kind, [f"v{k}"], [f"v{k + 1}"]) for k in range(count)]
    nodes += [NODE("Add", ["x", f"v{count}"], ["y"])]
    return make_model(nodes, {"x": (1, 8)}, weights={"v0": np.ones(8, np.float32)})


def multiplied() -> ModelProto:
    """A product of two constant matrices that one number each describes."""
    nodes = [
        NODE("ConstantOfShape", ["long"], ["a"]),
        NODE("ConstantOfShape", ["wide"], ["b"]),
        NODE("MatMul", ["a", "b"], ["c"]),
        NODE("MatMul", ["b", "a"], ["d"]),
        NODE("ReduceSum", ["d"], ["e"]),
        NODE("Add", ["x", "e"], ["y"]),
    ]
    weights = {"long": np.array([1 << 20, 2]), "wide": np.array([2, 1 << 20])}
    return make_model([*nodes, NODE("Add", ["y", "c"], ["z"])], {"x": (1, 8)}, ["z"], weights)


def nodes(count: int, make: Callable[[int], NodeProto], last: Sequence[NodeProto] = ()) -> ModelProto:
    made = [make(k) for k in range(count)]
    return make_model([*made, *last], {"x": (1, 8)}, [(last or made)[-1].output[0]])


def conv(**attributes: object) -> ModelProto:
    return one_node("Conv", (1, 8, 8, 8), np.ones((4, 8, 3, 3), np.float32), **attributes)


def rank(dims: int) -> ModelProto:
    """A large initialiser of too many dimensions."""
    model = one_node("Add", (1, 5000), np.ones(5000, np.float32))
    del model.graph.initializer[0].dims[:]
    model.graph.initializer[0].dims.extend([5000] + [1] * (dims - 1))
    return model


def external_constant(location: str) -> ModelProto:
    """A Constant node whose numbers stand in another file."""
    tensor = TensorProto(data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    return make_model([NODE("Constant", [], ["c"], value=tensor), NODE("Add", ["x", "c"], ["y"])], {"x": (1, 8)})


def empty_messages(count: int, nested: bool = False) -> bytes:
    """A model of two bytes per node, or per attribute of one node."""
    graph = _field(1, b"\x2a\x00" * count) if nested else b"\x0a\x00" * count
    return b"\x08\x0a" + _field(7, graph)


def _field(number: int, content: bytes) -> bytes:
    size, header = len(content), bytearray([number << 3 | 2])
    while size > 0x7F:
        header.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*header, size]) + content


# Name -> the file, and what the sentence must say.
NETWORKS: dict[str, tuple[Callable[[], ModelProto | bytes], str]] = {
    "functions that double": (laughs, "node 'laugh' (f25) stands for 33554432 nodes"),
    "functions that call each other": (lambda: calls(150), "more than 100 deep"),
    "functions in a circle": (circle, "'f' calls itself"),
    "joins that double": (lambda: joins(40, (1, 8, 4, 4)), "has an output of 1 x 33554432 x 4 x 4 elements"),
    "joins of tiles": (lambda: joins(20, (1, 8)), "joins 65536 tiles"),
    "shapes that double": (joined_shapes, "would make a constant of shape [8388608]"),
    "Range": (lambda: constants("Range", "abc", a=0.0, b=1e9, c=1.0), "would make a constant of shape [1000000000]"),
    "Tile": (lambda: constants("Tile", "ab", a=[1.0], b=[1 << 40]), "would make a constant of shape [1099511627776]"),
    "Expand": (lambda: constants("Expand", "ab", a=1.0, b=[1 << 20, 1 << 20]), "would make a constant of shape"),
    "ConstantOfShape": (lambda: constants("ConstantOfShape", "a", a=[1 << 15, 1 << 14]), "would make a constant of"),
    "OneHot": (
        lambda: constants("OneHot", "abc", a=np.zeros(4, np.int64), b=1 << 40, c=np.array([0, 1], np.float32)),
        "would make a constant of",
    ),
    "many constant nodes": (lambda: folded_chain("Cos", 6000), "has 6000 nodes whose inputs are all constant"),
    "products of constants": (multiplied, "would make a constant of shape [1048576, 1048576]"),
    "pads of 2^30": (lambda: conv(pads=[1 << 30] * 4), "pad larger than 1048576"),
    "pads of 2^62": (lambda: conv(pads=[1 << 62] * 4), "pad larger than 1048576"),
    "dilations of 2^40": (lambda: conv(dilations=[1 << 40] * 2), "pad larger than 1048576"),
    "LRN of 2^62": (lambda: one_node("LRN", (1, 64, 8, 8), size=1 << 62), "far more than its 64 channels can fill"),
    "many dimensions": (lambda: rank(101), "has 101 dimensions; at most 64"),
    "a wide input": (lambda: one_node("Relu", (1, 1 << 30)), "has the impossible shape 1 x 1073741824"),
    "a large input": (lambda: one_node("Relu", (1, 1 << 20, 1 << 12)), "has the impossible shape 1 x 1048576 x 4096"),
    "many tiles": (lambda: one_node("Relu", (1, 1 << 23)), "its 8388608 channels are 65536 tiles"),
    "many operands": (
        lambda: nodes(1, lambda _: NODE("Sum", ["x"] * 60_000, ["y"])),
        "has 60000 inputs of nodes",
    ),
    "many nodes": (lambda: nodes(60_000, lambda k: NODE("Relu", ["x"], [f"y{k}"])), "has 60000 nodes"),
    "empty nodes": (lambda: empty_messages(3_000_000), "more than 524288 fields"),
    "empty attributes": (lambda: empty_messages(3_000_000, nested=True), "more than 524288 fields"),
    "constants elsewhere": (lambda: external_constant("/dev/zero"), "not valid ONNX"),
}
# Those that take some seconds until the sentence.
SLOW_NETWORKS: dict[str, tuple[Callable[[], ModelProto | bytes], str]] = {
    "many operations": (
        lambda: nodes(
            20_000, lambda k: NODE("Relu", ["x"], [f"y{k}"]), [NODE("Sum", [f"y{k}" for k in range(20_000)], ["y"])]
        ),
        "the network becomes more than 60000 operations",
    ),
}
# Legal, and compiled, whatever their numbers.
HARMLESS_NETWORKS: dict[str, Callable[[], ModelProto]] = {
    "a window over everything": lambda: one_node("MaxPool", (1, 1, 3000, 3000), kernel_shape=[3000, 3000]),
    "LRN over all channels": lambda: one_node("LRN", (1, 64, 8, 8), size=127),
    "a window that is mostly padding": lambda: one_node(
        "MaxPool", (1, 1, 8, 8), kernel_shape=[30001, 30001], pads=[15000] * 4
    ),
    "a mean that is mostly padding": lambda: one_node(
        "AveragePool", (1, 1, 8, 8), kernel_shape=[30001, 30001], pads=[15000] * 4
    ),
    "a chain": lambda: nodes(3000, lambda k: NODE("Relu", [f"y{k - 1}" if k else "x"], [f"y{k}"])),
    "huge nodes that nothing needs": lambda: make_model(
        [*joins(40, (1, 8)).graph.node, NODE("Relu", ["x"], ["y"])], {"x": (1, 8)}
    ),
}


def npz_with_bomb(path: Path, arrays: dict[str, np.ndarray], name: str, shape: tuple[int, ...]) -> None:
    """An archive of `arrays`, and of `name`: zeros of `shape` that are packed well."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": shape})
    left, block = 4 * int(np.prod(shape)), bytes(1 << 20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
            member.write(header.getvalue())
            while left:
                left -= member.write(block[: min(left, len(block))])
        for other, array in arrays.items():
            with archive.open(f"{other}.npy", "w") as member:
                np.lib.format.write_array(member, array)

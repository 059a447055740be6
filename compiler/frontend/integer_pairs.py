"""Recognises products between DequantizeLinear and QuantizeLinear, and writes them as products of integers.

The definition of such a product is a sum of float32 numbers, which has no one value: it depends on the order. Its
integers have: the sum is exact, scaled once. Where the bias has no such integers, or nothing quantises the result, the
sum becomes a float32 when it is scaled, and a bias is added as it is written. Products whose scales or zero points are
only known at run time stay as they are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from compiler.basis.weights import Array
from compiler.frontend.definitions import STANDARD_DOMAINS
from compiler.frontend.graph_checks import MICROSOFT
from compiler.frontend.model import LoadedModel

_BYTES = (np.dtype(np.int8), np.dtype(np.uint8))
_CLIP_INPUTS = 11  # operator set since which bounds are inputs


def with_integer_products(model: LoadedModel) -> LoadedModel:
    """The model in which every product that can be is one of integers; the same model if none can."""
    if not any(node.op_type == "QuantizeLinear" for node in model.proto.graph.node):
        return model
    return _Pairs(model).rewritten()


@dataclass(frozen=True, slots=True)
class _Stored:
    """Integers of an array or a result with names of their scale and zero point; `numbers` of a constant."""

    name: str
    scale: str
    zero: str
    numbers: Array | None = None


class _Pairs:
    """One rewriting: nodes by what they make, uses of every value, arrays that are added."""

    def __init__(self, model: LoadedModel) -> None:
        self.model, self.arrays = model, dict(model.arrays)
        nodes = model.proto.graph.node
        self.makers = {name: node for node in nodes for name in node.output if node.domain in STANDARD_DOMAINS}
        self.uses = Counter(name for node in nodes for name in node.input)
        self.uses.update(value.name for value in model.proto.graph.output)
        versions = (entry.version for entry in model.proto.opset_import if entry.domain in STANDARD_DOMAINS)
        self.opset = max(versions, default=1)

    def rewritten(self) -> LoadedModel:
        """The model with new nodes in the place of QuantizeLinear nodes, without those that they stand for."""
        made, gone = dict[int, list[NodeProto]](), set[str]()
        nodes = self.model.proto.graph.node
        for place, node in enumerate(nodes):
            found = self._product(node) if node.op_type == "QuantizeLinear" else None
            if found is not None:
                made[place], absorbed = found
                gone.update(absorbed)
        for place, node in enumerate(nodes):
            if node.op_type in _SUMS and gone.isdisjoint(node.output):
                scaled = self._scaled(node)
                if scaled is not None:
                    made[place] = scaled
        if not made:
            return self.model
        proto = ModelProto()
        proto.CopyFrom(self.model.proto)
        del proto.graph.node[:]
        for place, node in enumerate(nodes):
            if place in made:
                proto.graph.node.extend(made[place])
            elif gone.isdisjoint(node.output):
                proto.graph.node.append(node)
        added = {name: array for name, array in self.arrays.items() if name not in self.model.arrays}
        proto.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in added.items())
        if all(entry.domain != MICROSOFT for entry in proto.opset_import):  # of QGemm
            proto.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
        return replace(self.model, proto=proto, arrays=self.arrays)

    def _product(self, last: NodeProto) -> tuple[list[NodeProto], set[str]] | None:
        """The nodes that stand for a QuantizeLinear and what is before it, and the results that are not made then."""
        result, absorbed = self._quantised(last), set[str]()
        if result is None:
            return None
        node, bounds = self._only_maker(last.input[0]), (-np.inf, np.inf)
        if node is not None and node.op_type in ("Relu", "Clip"):
            found = self._bounds(node)
            if found is None:
                return None
            bounds = found
            absorbed.update(node.output)
            node = self._only_maker(node.input[0])
        if node is None or node.op_type not in _KINDS or not _is_plain(node):
            return None
        absorbed.update(node.output)
        x, w = (self._dequantised(node.input[place], _axis_of(node) if place else None) for place in (0, 1))
        if x is None or w is None or w.numbers is None or x.numbers is not None:
            return None
        bias = self._bias(node, x, w)
        if bias is None:
            return None
        limits = self._limits(result, bounds)
        name = last.output[0] if limits is None else f"{last.output[0]}/unbounded"
        made = [_KINDS[node.op_type](node, x, w, bias, result, name)]
        if limits is not None:
            names = [
                self._constant(f"{last.output[0]}/{end}", value)
                for end, value in zip(("low", "high"), limits, strict=True)
            ]
            made.append(helper.make_node("Clip", [name, *names], [last.output[0]], f"{last.output[0]}/bounds"))
        return made, absorbed

    def _scaled(self, node: NodeProto) -> list[NodeProto] | None:
        """The nodes that sum the integers of a product, and make floats of the sums: scaled, plus the bias."""
        if not _is_plain(node) or node.domain not in STANDARD_DOMAINS or _integer(node, "transA", 0):
            return None
        x, w = (self._dequantised(node.input[place], _axis_of(node) if place else None) for place in (0, 1))
        if x is None or w is None or w.numbers is None or x.numbers is not None:
            return None
        bias, added = node.input[2] if len(node.input) > 2 else "", None
        if bias:
            added = self._floats(bias)
            if added is None:
                return None
        result = node.output[0]
        numbers = w.numbers
        shape = (-1, *(1,) * (numbers.ndim - 2)) if node.op_type == "Conv" else (-1,)  # of one number per filter
        if self.arrays[w.zero].size > 1 and not self.arrays[w.zero].any():
            w = replace(w, zero=self._constant(f"{result}/w_zero_point", np.zeros((), numbers.dtype)))
        factors = np.multiply(self.arrays[x.scale].reshape(-1), self.arrays[w.scale].reshape(-1), dtype=np.float32)
        factor = self._constant(f"{result}/scale", factors.reshape(shape))
        weights = w.name
        if node.op_type == "Gemm" and _integer(node, "transB", 0):
            weights = self._constant(f"{result}/weights", np.ascontiguousarray(numbers.T))
        sums, floats = f"{result}/sums", f"{result}/floats"
        made = [
            helper.make_node(_SUMS[node.op_type], [x.name, weights, x.zero, w.zero], [sums], f"{node.name}/sums"),
            helper.make_node("Cast", [sums], [floats], f"{node.name}/floats", to=TensorProto.FLOAT),
        ]
        if node.op_type == "Conv":
            made[0].attribute.extend(_plain(node))
        scaled = f"{result}/scaled" if bias else result
        made.append(helper.make_node("Mul", [floats, factor], [scaled], f"{node.name}/scaled" if bias else node.name))
        if added is not None:
            bias = self._constant(f"{result}/bias", added.reshape(shape) if node.op_type == "Conv" else added)
            made.append(helper.make_node("Add", [scaled, bias], [result], node.name))
        return made

    def _only_maker(self, name: str) -> NodeProto | None:
        """The node that makes a value which nothing else uses."""
        return self.makers.get(name) if self.uses[name] == 1 else None

    def _constant(self, name: str, array: Array) -> str:
        while name in self.arrays:
            name += "'"
        self.arrays[name] = array
        return name

    # scales and zero points -------------------------------------------------------------------------------------

    def _parameters(self, node: NodeProto, dtype: np.dtype) -> tuple[str, str] | None:
        """Names of constant float32 scales and zero points of `dtype`, which are added where they are left out."""
        scale = self.arrays.get(node.input[1])
        if scale is None or scale.dtype != np.float32 or not (np.isfinite(scale).all() and (scale > 0).all()):
            return None
        zero = node.input[2] if len(node.input) > 2 and node.input[2] else ""
        if not zero:
            return node.input[1], self._constant(f"{node.output[0]}/zero_point", np.zeros(scale.shape, dtype))
        array = self.arrays.get(zero)
        return (node.input[1], zero) if array is not None and array.dtype == dtype else None

    def _quantised(self, node: NodeProto) -> _Stored | None:
        """What a QuantizeLinear makes: bytes, of one scale and one zero point."""
        zero = self.arrays.get(node.input[2]) if len(node.input) > 2 and node.input[2] else None
        if node.domain not in STANDARD_DOMAINS or zero is None or zero.dtype not in _BYTES or zero.size != 1:
            return None
        names = self._parameters(node, zero.dtype)
        return _Stored(node.output[0], *names) if names and self.arrays[names[0]].size == 1 else None

    def _dequantised(self, name: str, axis: int | None) -> _Stored | None:
        """What a DequantizeLinear reads: bytes with one scale, or constants with one for each index along `axis`."""
        node = self.makers.get(name)
        if node is None or node.op_type != "DequantizeLinear" or _integer(node, "block_size", 0):
            return None
        numbers = self.arrays.get(node.input[0])
        zero = self.arrays.get(node.input[2]) if len(node.input) > 2 and node.input[2] else None
        dtype = zero.dtype if zero is not None else numbers.dtype if numbers is not None else None
        names = self._parameters(node, dtype) if dtype in _BYTES and dtype is not None else None
        if names is None or (numbers is not None and numbers.dtype != dtype):
            return None
        sizes = {self.arrays[part].size for part in names}
        if sizes != {1}:
            rank = numbers.ndim if numbers is not None else 0
            along = _integer(node, "axis", 1) % rank if rank else None
            if axis is None or numbers is None or along != axis % rank or not sizes <= {1, numbers.shape[axis]}:
                return None
        return _Stored(node.input[0], *names, numbers)

    def _bias(self, node: NodeProto, x: _Stored, w: _Stored) -> str | None:
        """The name of an int32 bias in units of x_scale w_scale; empty without a bias, None if it has no such units."""
        if len(node.input) < 3 or not node.input[2]:
            return ""
        source = self.makers.get(node.input[2])
        if source is None or source.op_type != "DequantizeLinear":
            return None
        numbers, scale = (self.arrays.get(name) for name in source.input[:2])
        zero = self.arrays.get(source.input[2]) if len(source.input) > 2 and source.input[2] else None
        units = np.multiply(self.arrays[x.scale].reshape(-1), self.arrays[w.scale].reshape(-1), dtype=np.float32)
        if numbers is None or scale is None or numbers.dtype != np.int32 or (zero is not None and zero.any()):
            return None
        return source.input[0] if numbers.ndim == 1 and np.array_equal(scale.reshape(-1), units) else None

    def _floats(self, name: str) -> Array | None:
        """The float32 numbers of a constant, or of what dequantises one as a whole or along its only axis."""
        if name in self.arrays:
            return self.arrays[name] if self.arrays[name].dtype == np.float32 else None
        node = self.makers.get(name)
        if node is None or node.op_type != "DequantizeLinear" or _integer(node, "block_size", 0):
            return None
        given = [self.arrays.get(part) for part in node.input if part]
        numbers, scale = given[:2]
        if numbers is None or scale is None or numbers.ndim > 1 or scale.dtype != np.float32 or given[-1] is None:
            return None
        zero = given[2] if len(given) > 2 and given[2] is not None else np.zeros((), np.int64)
        return ((numbers.astype(np.int64) - zero).astype(np.float32) * scale).astype(np.float32)

    # activations ------------------------------------------------------------------------------------------------

    def _bounds(self, node: NodeProto) -> tuple[float, float] | None:
        """Between which numbers a Relu or Clip keeps its operand; None if they are only known at run time."""
        if node.op_type == "Relu":
            return 0.0, np.inf
        bounds = [-np.inf, np.inf]
        for place, name in ((0, "min"), (1, "max")):
            if self.opset < _CLIP_INPUTS:
                given = [attribute.f for attribute in node.attribute if attribute.name == name]
                bounds[place] = given[0] if given else bounds[place]
            elif len(node.input) > place + 1 and node.input[place + 1]:
                array = self.arrays.get(node.input[place + 1])
                if array is None or array.size != 1:
                    return None
                bounds[place] = float(array.reshape(()))
        return bounds[0], bounds[1]

    def _limits(self, result: _Stored, bounds: tuple[float, float]) -> tuple[Array, Array] | None:
        """The bounds as elements of the result; None if every element is between them: rounding keeps the order."""
        zero = self.arrays[result.zero].reshape(())
        scale, info = np.float32(self.arrays[result.scale].reshape(())), np.iinfo(zero.dtype)
        low, high = (
            np.clip(np.rint(np.float32(bound) / scale) + int(zero), info.min, info.max).astype(zero.dtype)
            for bound in bounds
        )
        return None if (low, high) == (info.min, info.max) else (np.asarray(low), np.asarray(high))


def _integer(node: NodeProto, name: str, default: int) -> int:
    return next((attribute.i for attribute in node.attribute if attribute.name == name), default)


def _axis_of(node: NodeProto) -> int:
    """Along which axis of its weights a product may have scales of their own: that of its filters or columns."""
    return 0 if node.op_type == "Conv" or (node.op_type == "Gemm" and _integer(node, "transB", 0)) else -1


def _is_plain(node: NodeProto) -> bool:
    """Whether a Gemm has no factors."""
    return all(attribute.f == 1 for attribute in node.attribute if attribute.name in ("alpha", "beta"))


def _plain(node: NodeProto, *names: str) -> list[AttributeProto]:
    return [attribute for attribute in node.attribute if not names or attribute.name in names]


def _conv(node: NodeProto, x: _Stored, w: _Stored, bias: str, y: _Stored, name: str) -> NodeProto:
    inputs = [x.name, x.scale, x.zero, w.name, w.scale, w.zero, y.scale, y.zero, *([bias] if bias else [])]
    made = helper.make_node("QLinearConv", inputs, [name], node.name)
    made.attribute.extend(_plain(node))
    return made


def _matmul(node: NodeProto, x: _Stored, w: _Stored, bias: str, y: _Stored, name: str) -> NodeProto:
    return helper.make_node(
        "QLinearMatMul", [x.name, x.scale, x.zero, w.name, w.scale, w.zero, y.scale, y.zero], [name], node.name
    )


def _gemm(node: NodeProto, x: _Stored, w: _Stored, bias: str, y: _Stored, name: str) -> NodeProto:
    inputs = [x.name, x.scale, x.zero, w.name, w.scale, w.zero, bias, y.scale, y.zero]
    made = helper.make_node("QGemm", inputs, [name], node.name, domain=MICROSOFT)
    made.attribute.extend(_plain(node, "transA", "transB"))
    return made


_SUMS: Mapping[str, str] = {"Conv": "ConvInteger", "MatMul": "MatMulInteger", "Gemm": "MatMulInteger"}
_KINDS: Mapping[str, Callable[[NodeProto, _Stored, _Stored, str, _Stored, str], NodeProto]] = {
    "Conv": _conv,
    "MatMul": _matmul,
    "Gemm": _gemm,
}

"""Building blocks of the zoo: layers that append nodes and seeded weights to an ONNX graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

OPSET = 17
IMAGE = (1, 3, 224, 224)  # [batch, channels, height, width] of the networks for ImageNet
CLASSES = 1000  # of ImageNet
RELU_GAIN = 2 / (1 - 1 / math.pi)  # 1 / variance of a Relu of a standard normal number


class NetBuilder:
    """Appends layers; every method takes and returns value names, and keeps activations of order one.

    Weights are uniform with variance gain^2 * 2 / (1 - 1/pi) / fan-in, each filter with mean zero: He et al. (2015),
    but for the variance after a Relu instead of its second moment. Without that, the mean that Relus build up would
    drown the input, and every input would give nearly the same output.
    """

    def __init__(
        self,
        name: str,
        seed: int,
        shape: Sequence[int],
        input_name: str = "input",
        element: int = TensorProto.FLOAT,
        opset: int = OPSET,
    ) -> None:
        self.name = name
        self._random = np.random.default_rng(seed)
        self._model = ModelProto(ir_version=helper.OP_SET_ID_VERSION_MAP["ai.onnx", opset], producer_name="emu zoo")
        self._model.opset_import.append(helper.make_opsetid("", opset))
        self._graph = self._model.graph  # filled in place: every copy of VGG-16 costs half a gigabyte
        self._channels: dict[str, int] = {}
        self.input = self.add_input(input_name, shape, element)

    def add_input(self, name: str, shape: Sequence[int], element: int = TensorProto.FLOAT) -> str:
        """A further input of the network, of the ONNX type `element`; its channels are the second dimension."""
        self._graph.input.append(helper.make_tensor_value_info(name, element, shape))
        self._channels[name] = shape[1]
        return name

    def channels(self, value: str) -> int:
        """Channels (or features) of a value."""
        return self._channels[value]

    def node(self, kind: str, name: str, inputs: Sequence[str], channels: int | None = None, **attributes: Any) -> str:
        """Append a node; its output is called like it and has the channels of its first input unless told."""
        output = f"{name}_out"
        self._graph.node.append(helper.make_node(kind, list(inputs), [output], name, **attributes))
        self._channels[output] = self._channels[inputs[0]] if channels is None else channels
        return output

    def parts(self, kind: str, name: str, inputs: Sequence[str], sizes: Sequence[int], **attributes: Any) -> list[str]:
        """Append a node with an output for each of `sizes`, the channels of that output."""
        outputs = [f"{name}_out{index}" for index in range(len(sizes))]
        self._graph.node.append(helper.make_node(kind, list(inputs), outputs, name, **attributes))
        self._channels.update(zip(outputs, sizes, strict=True))
        return outputs

    def integers(self, name: str, values: ArrayLike) -> str:
        """Append an int64 initialiser, such as a shape or axes; the same name again is the same one."""
        if not any(tensor.name == name for tensor in self._graph.initializer):
            self._graph.initializer.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def weight(self, name: str, array: NDArray[np.float32]) -> str:
        """Append an initialiser."""
        data = array.astype("<f4", copy=False).tobytes()
        self._graph.initializer.add(name=name, dims=array.shape, data_type=TensorProto.FLOAT, raw_data=data)
        return name

    def filters(self, name: str, shape: Sequence[int], gain: float) -> str:
        """Append weights [filters, inputs...]."""
        return self.weight(name, self._drawn(shape, gain))

    def _drawn(self, shape: Sequence[int], gain: float) -> NDArray[np.float32]:
        """Weights [filters, inputs...], drawn as float32 (VGG-16 has 138 million)."""
        fan_in = math.prod(shape[1:])
        array = self._random.random(tuple(shape), np.float32)
        if shape[1] > 1:  # a depthwise filter without mean would only see edges
            array -= array.mean(axis=tuple(range(1, len(shape))), keepdims=True)
        else:
            array -= np.float32(0.5)
        array *= np.float32(math.sqrt(12 * RELU_GAIN / fan_in) * gain)
        return array

    def bias(self, name: str, size: int) -> str:
        """Append a bias of a tenth of the activations."""
        return self.weight(name, self._random.normal(0, 0.1, size).astype(np.float32))

    def conv(
        self,
        name: str,
        x: str,
        filters: int,
        kernel: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        pad: int | tuple[int, ...] = 0,
        group: int = 1,
        bias: bool = True,
        gain: float = 1.0,
        dilation: int = 1,
    ) -> str:
        """A convolution, square unless `kernel` has a size for each dimension; then `stride` and `pad` may have one."""
        sizes = (kernel, kernel) if isinstance(kernel, int) else kernel
        shape = (filters, self.channels(x) // group, *sizes)
        inputs = [x, self.filters(f"{name}.weight", shape, gain)]
        if bias:
            inputs.append(self.bias(f"{name}.bias", filters))
        window: dict[str, Any] = {"kernel_shape": sizes, "strides": _each(stride, sizes), "pads": 2 * _each(pad, sizes)}
        if dilation > 1:
            window["dilations"] = _each(dilation, sizes)
        return self.node("Conv", name, inputs, filters, group=group, **window)

    def upsample(self, name: str, x: str, filters: int, gain: float = 1.0) -> str:
        """A transposed convolution that doubles height and width: kernel and stride 2, so no window overlaps."""
        depth = self.channels(x)
        array = self._drawn((filters, depth, 2, 2), 2 * gain)  # of the 4 positions a pixel sees one
        weight = self.weight(f"{name}.weight", np.ascontiguousarray(array.swapaxes(0, 1)))
        inputs = [x, weight, self.bias(f"{name}.bias", filters)]
        return self.node("ConvTranspose", name, inputs, filters, kernel_shape=[2, 2], strides=[2, 2])

    def batch_norm(self, name: str, x: str, gain: float = 1.0) -> str:
        """Normalisation with statistics of a network that has been trained: none is 0 or 1."""
        size = self.channels(x)
        statistics = {
            "weight": self._random.uniform(0.8 * gain, 1.2 * gain, size),
            "bias": self._random.normal(0, 0.1 * gain, size),
            "running_mean": self._random.normal(0, 0.2, size),
            "running_var": self._random.uniform(0.6, 1.4, size),
        }
        names = [self.weight(f"{name}.{part}", array.astype(np.float32)) for part, array in statistics.items()]
        return self.node("BatchNormalization", name, [x, *names])

    def relu(self, name: str, x: str) -> str:
        """A Relu."""
        return self.node("Relu", name, [x])

    def relu6(self, name: str, x: str) -> str:
        """A Clip to [0, 6]; the bounds are shared initialisers."""
        if not any(tensor.name == "zero" for tensor in self._graph.initializer):
            self.weight("zero", np.array(0, np.float32))
            self.weight("six", np.array(6, np.float32))
        return self.node("Clip", name, [x, "zero", "six"])

    def pool(self, kind: str, name: str, x: str, kernel: int, stride: int, pad: int = 0, ceil: bool = False) -> str:
        """MaxPool or AveragePool over square windows."""
        window: dict[str, Any] = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4}
        return self.node(kind, name, [x], ceil_mode=int(ceil), **window)

    def gemm(self, name: str, x: str, features: int, gain: float = 1.0) -> str:
        """A linear layer as PyTorch stores it: weights [features, inputs], transB."""
        weight = self.filters(f"{name}.weight", (features, self.channels(x)), gain)
        return self.node("Gemm", name, [x, weight, self.bias(f"{name}.bias", features)], features, transB=1)

    def concat(self, name: str, values: Sequence[str]) -> str:
        """Joins channels."""
        return self.node("Concat", name, values, sum(self.channels(value) for value in values), axis=1)

    def flatten(self, name: str, x: str, pixels: int = 1) -> str:
        """[1,C,H,W] -> [1, C * pixels]."""
        return self.node("Flatten", name, [x], self.channels(x) * pixels, axis=1)

    def dropout(self, name: str, x: str) -> str:
        """A Dropout, which inference skips."""
        return self.node("Dropout", name, [x])

    def finish(self, output: str, name: str = "output", shape: Sequence[int] = ()) -> ModelProto:
        """The model whose only output is `output`, of `shape` (a vector, unless given), renamed to `name`."""
        return self.finish_all({name: (output, shape or (1, self.channels(output)))})

    def finish_all(self, outputs: Mapping[str, tuple[str, Sequence[int]]]) -> ModelProto:
        """The model whose outputs are those values, of the shapes given, renamed to the names given."""
        names = {value: name for name, (value, _) in outputs.items()}
        for node in self._graph.node:
            for values in (node.input, node.output):
                values[:] = [names.get(value, value) for value in values]
        self._graph.name = self.name
        for name, (_, shape) in outputs.items():
            self._graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return self._model


def _each(size: int | tuple[int, ...], sizes: Sequence[int]) -> list[int]:
    """A size for each of the dimensions that `sizes` have."""
    return [size] * len(sizes) if isinstance(size, int) else list(size)

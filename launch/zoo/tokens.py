"""Building blocks of networks of tokens: linear layers, normalisation and attention on [1, tokens, features]."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import numpy_helper

from launch.zoo.builder import NetBuilder

ATTENTION_GAIN = 1.5  # of queries and keys: scores of about its square, so that attention looks at few tokens
BRANCH_GAIN = 0.5  # of what is added to a residual stream
AFTER_GELU = 1.5  # 1 / root of the second moment of a Gelu of a standard normal number


class TokenBuilder(NetBuilder):
    """A NetBuilder whose values are [1, tokens, features]; `channels` are the features."""

    def matrix(self, name: str, shape: tuple[int, int], gain: float = 1.0) -> str:
        """Append weights [inputs, outputs] as exporters write them for MatMul, of variance gain^2 / inputs."""
        array = self._random.standard_normal(shape, np.float32)
        array *= np.float32(gain / math.sqrt(shape[0]))
        return self.weight(name, array)

    def table(self, name: str, shape: tuple[int, ...], size: float = 1.0) -> str:
        """Append an embedding: normal numbers of that size."""
        return self.weight(name, self._random.standard_normal(shape, np.float32) * np.float32(size))

    def scalar(self, name: str, value: float) -> str:
        """Append a number; the same name again is the same one."""
        if not any(tensor.name == name for tensor in self._graph.initializer):
            self.weight(name, np.array(value, np.float32))
        return name

    def boolean(self, name: str, array: NDArray[np.bool_]) -> str:
        """Append a constant mask."""
        self._graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def linear(self, name: str, x: str, features: int, gain: float = 1.0) -> str:
        """A linear layer on tokens: MatMul and Add, as for any input that is no matrix."""
        weight = self.matrix(f"{name}.weight", (self.channels(x), features), gain)
        product = self.node("MatMul", f"{name}.matmul", [x, weight], features)
        return self.node("Add", name, [product, self.bias(f"{name}.bias", features)])

    def layer_norm(self, name: str, x: str, epsilon: float = 1e-5) -> str:
        """LayerNormalization of each token, with scales and shifts of a network that has been trained."""
        size = self.channels(x)
        scale = self.weight(f"{name}.weight", self._random.uniform(0.8, 1.2, size).astype(np.float32))
        shift = self.bias(f"{name}.bias", size)
        return self.node("LayerNormalization", name, [x, scale, shift], axis=-1, epsilon=epsilon)

    def reshape(self, name: str, x: str, shape: Sequence[int], features: int) -> str:
        """A Reshape to the constant `shape`; `features` of the result."""
        return self.node("Reshape", name, [x, self.integers(f"{name}.shape", shape)], features)

    def heads(self, name: str, x: str, tokens: int, heads: int) -> str:
        """[1, tokens, features] -> [1, heads, tokens, features / heads]."""
        size = self.channels(x) // heads
        split = self.reshape(f"{name}.view", x, (1, tokens, heads, size), size)
        return self.node("Transpose", f"{name}.heads", [split], perm=[0, 2, 1, 3])

    def joined(self, name: str, x: str, tokens: int, features: int) -> str:
        """[1, heads, tokens, features / heads] -> [1, tokens, features]."""
        turned = self.node("Transpose", f"{name}.turn", [x], perm=[0, 2, 1, 3])
        return self.reshape(f"{name}.join", turned, (1, tokens, features), features)

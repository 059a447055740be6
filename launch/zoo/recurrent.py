"""Two recurrent layers of 256 over 100 steps, then a linear layer, as PyTorch's older exporter writes LSTM and GRU."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto

from launch.zoo.tokens import TokenBuilder

STEPS, WIDTH, LAYERS, CLASSES = 100, 256, 2, 10
GATES = {"LSTM": 4, "GRU": 3}
GAIN = 1.5  # with it, hidden states use the range of their tanh


def lstm_net(seed: int = 0) -> ModelProto:
    """1x100x256 -> 1x10 out of the last step; 1.1 million weights (Hochreiter and Schmidhuber 1997)."""
    return _net("lstm_net", seed, "LSTM")


def gru_net(seed: int = 0) -> ModelProto:
    """1x100x256 -> 1x10 out of the last step; 0.8 million weights (Cho et al. 2014, reset after the product)."""
    return _net("gru_net", seed, "GRU", linear_before_reset=1)


def _net(name: str, seed: int, kind: str, **attributes: int) -> ModelProto:
    net = TokenBuilder(name, seed, (1, STEPS, WIDTH))
    x = net.node("Transpose", "time_first", [net.input], WIDTH, perm=[1, 0, 2])
    for layer in range(LAYERS):
        weights = _weights(net, f"rnn.{layer}", GATES[kind])
        states = [net.weight(f"rnn.{layer}.start", np.zeros((1, 1, WIDTH), np.float32))] * (2 if kind == "LSTM" else 1)
        inputs = [x, *weights, "", *states]
        x = net.node(kind, f"rnn.{layer}", inputs, WIDTH, hidden_size=WIDTH, **attributes)
        x = net.node("Squeeze", f"rnn.{layer}.squeeze", [x, net.integers("directions", [1])])
    x = net.node("Gather", "last", [x, net.integers("last_step", STEPS - 1)], WIDTH, axis=0)
    return net.finish(net.gemm("fc", x, CLASSES))


def _weights(net: TokenBuilder, name: str, gates: int) -> list[str]:
    """W and R [1, gates x hidden, inputs] and the biases of both, [1, 2 x gates x hidden]."""
    rows = gates * WIDTH
    matrices = [net.table(f"{name}.{part}", (1, rows, WIDTH), GAIN / WIDTH**0.5) for part in ("W", "R")]
    return [*matrices, net.table(f"{name}.B", (1, 2 * rows), 0.1)]

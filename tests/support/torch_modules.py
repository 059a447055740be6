"""Modules of torch with example inputs, and what is done with their results. Imports torch: for tests that have it."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnxruntime
import torch
from torch import nn
from torch.nn import functional

Pair = namedtuple("Pair", ["sum", "rest"])


class Residual(nn.Module):
    """Convolutions with batch norm, a depthwise one, an addition, poolings and a product."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.depthwise, self.pool = nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.MaxPool2d(2)
        self.last, self.classes = nn.Conv2d(8, 16, 1), nn.Linear(16, 10)

    def forward(self, x):
        x = self.first(x)
        x = self.pool(torch.relu(x + self.depthwise(x)))
        return self.classes(torch.relu(self.last(x)).mean((2, 3)))


class Recurrent(nn.Module):
    """An LSTM whose state may be given, and is returned."""

    def __init__(self, **options) -> None:
        super().__init__()
        self.lstm = nn.LSTM(6, 8, **options)

    def forward(self, x, state=None):
        y, (h, c) = self.lstm(x) if state is None else self.lstm(x, state)
        return {"y": y, "state": (h, c)}


class Attention(nn.Module):
    """A block with scaled dot product attention, written by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.project, self.out, self.norm = nn.Linear(16, 48), nn.Linear(16, 16), nn.LayerNorm(16)

    def forward(self, x, *, causal=True):
        batch, time, width = x.shape
        query, key, value = self.project(self.norm(x)).view(batch, time, 3, 4, 4).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
        return x + self.out(attended.transpose(1, 2).reshape(batch, time, width))


class Embedded(nn.Module):
    """Tokens in."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(20, 8), nn.Linear(8, 5)

    def forward(self, tokens):
        return self.head(self.table(tokens))


class First(nn.Module):
    """The first result of a layer with several."""

    def __init__(self, inner) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *given):
        return self.inner(*given)[0]


class Structures(nn.Module):
    """Tensors in dictionaries, lists and named tuples, by position and by name; one is passed through."""

    def forward(self, x, both, *, scale=None, extra):
        return Pair(x + both["a"], [both["b"][0] * 2, None, x, {"more": extra[0] - extra[1]}])


class Equation(nn.Module):
    """An einsum."""

    def forward(self, x, y):
        return torch.einsum("bij,bkj->bik", x, y)


@dataclass(frozen=True)
class Case:
    """How a module is made, and the shapes of its inputs; `arguments` are made of a generator where that is not all."""

    make: Callable[[], nn.Module]
    shapes: tuple[tuple[int, ...], ...] = ()
    arguments: Callable[[Any], tuple[tuple[Any, ...], Mapping[str, Any]]] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def module(self) -> nn.Module:
        torch.manual_seed(5)
        return self.make().eval()

    def inputs(self, seed: int) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
        generator = torch.Generator().manual_seed(seed)
        if self.arguments is not None:
            return self.arguments(generator)
        return tuple(torch.randn(shape, generator=generator) for shape in self.shapes), {}


def _draw(generator, *shape):
    return torch.randn(shape, generator=generator)


def _structures(g):
    both = {"a": _draw(g, 2, 3), "b": [_draw(g, 4)]}
    return (_draw(g, 2, 3), both), {"scale": None, "extra": (_draw(g, 3), _draw(g, 3))}


def _encoder(**options):
    return lambda: nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, **options)


def _seq(*layers: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    return lambda: nn.Sequential(*(layer() for layer in layers))


CASES: Mapping[str, Case] = {
    "cnn": Case(Residual, ((1, 3, 8, 8),)),
    "lstm": Case(Recurrent, ((5, 1, 6),)),
    "transformer": Case(_encoder(activation="gelu"), ((1, 6, 16),)),
    "structures": Case(Structures, arguments=_structures),
    "embedding": Case(Embedded, arguments=lambda g: ((torch.randint(0, 20, (1, 7), generator=g),), {})),
    "attention": Case(Attention, arguments=lambda g: ((_draw(g, 1, 6, 16),), {"causal": True})),
    "lstm-state": Case(
        Recurrent, arguments=lambda g: ((_draw(g, 5, 1, 6), (_draw(g, 1, 1, 8), _draw(g, 1, 1, 8))), {})
    ),
    "lstm-layers": Case(lambda: Recurrent(num_layers=2, bidirectional=True, batch_first=True), ((2, 5, 6),)),
    "gru": Case(lambda: First(nn.GRU(6, 8, bidirectional=True, batch_first=True)), ((1, 5, 6),)),
    "rnn": Case(lambda: First(nn.RNN(4, 5)), ((3, 2, 4),)),
    "encoder": Case(lambda: nn.TransformerEncoder(_encoder()(), 2, enable_nested_tensor=False), ((1, 6, 16),)),
    "norm-first": Case(_encoder(norm_first=True), ((1, 6, 16),)),
    "decoder": Case(lambda: nn.TransformerDecoderLayer(16, 4, 32, batch_first=True), ((1, 6, 16), (1, 4, 16))),
    "multihead": Case(lambda: First(nn.MultiheadAttention(16, 4, batch_first=True)), ((1, 6, 16),) * 3),
    "einsum": Case(Equation, ((2, 3, 4), (2, 5, 4))),
    "conv1d": Case(
        _seq(lambda: nn.Conv1d(3, 4, 3, padding=2, dilation=2), nn.GELU, lambda: nn.AvgPool1d(2)), ((1, 3, 9),)
    ),
    "conv3d": Case(_seq(lambda: nn.Conv3d(2, 3, 2, stride=2), nn.ReLU), ((1, 2, 4, 4, 4),)),
    "transposed": Case(lambda: nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), ((1, 3, 5, 5),)),
    "grouped": Case(
        _seq(
            lambda: nn.Conv2d(4, 8, 3, groups=2),
            lambda: nn.BatchNorm2d(8),
            nn.Hardswish,
            lambda: nn.AdaptiveAvgPool2d(1),
            nn.Flatten,
            lambda: nn.Linear(8, 4),
            lambda: nn.Softmax(-1),
        ),
        ((2, 4, 6, 6),),
    ),
    "separable": Case(
        _seq(
            lambda: nn.Conv2d(4, 4, 3, groups=4, padding=1),
            nn.SiLU,
            lambda: nn.Conv2d(4, 6, 1),
            lambda: nn.MaxPool2d(2),
        ),
        ((1, 4, 6, 6),),
    ),
    "norms": Case(
        _seq(
            lambda: nn.Conv2d(2, 4, 3),
            lambda: nn.InstanceNorm2d(4),
            lambda: nn.GroupNorm(2, 4),
            lambda: nn.Upsample(scale_factor=2),
        ),
        ((1, 2, 6, 6),),
    ),
    "linear-of-three": Case(
        _seq(lambda: nn.Linear(8, 16), nn.Tanh, lambda: nn.LayerNorm(16), lambda: nn.Linear(16, 3)), ((2, 5, 8),)
    ),
    "activations": Case(_seq(lambda: nn.Linear(4, 5), nn.PReLU, nn.ELU, nn.LeakyReLU, nn.Sigmoid), ((3, 4),)),
}


def quantised(module: nn.Module, samples, kind: str, *, columns: bool = True) -> Any:
    """A module that torchao has quantised after `samples`, by the quantiser of a `kind`, weights by column or whole."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    if kind == "xnnpack":
        from torchao.testing.pt2e import _xnnpack_quantizer as module_of

        quantizer = module_of.XNNPACKQuantizer()
        quantizer.set_global(module_of.get_symmetric_quantization_config(is_per_channel=columns))
    else:
        from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as module_of

        quantizer = module_of.X86InductorQuantizer()
        quantizer.set_global(module_of.get_default_x86_inductor_quantization_config())
    prepared = prepare_pt2e(torch.export.export(module, (samples[0],)).module(), quantizer)
    for sample in samples:
        prepared(sample)
    return convert_pt2e(prepared)


class Quantisable(nn.Sequential):
    """A CNN of which every layer but the last may be one of integers."""

    def __init__(self) -> None:
        super().__init__(
            *(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 16, 10)),
        )


SAMPLE = (1, 1, 14, 14)  # of `Quantisable`


def flat(result: Any) -> list[np.ndarray]:
    """The tensors of a result, in order, as arrays."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, tuple | list):
        return [array for part in result for array in flat(part)]
    if result is None:
        return []
    return [result.detach().numpy() if isinstance(result, torch.Tensor) else np.asarray(result)]


def shape_of(result: Any) -> Any:
    """The structure of a result: containers, their keys and the shapes and types of what stands in them."""
    if isinstance(result, dict):
        return {key: shape_of(value) for key, value in result.items()}
    if isinstance(result, tuple | list):
        return type(result).__name__, getattr(result, "_fields", ()), [shape_of(part) for part in result]
    return None if result is None else (type(result).__name__, str(result.dtype), tuple(result.shape))


def session(model: Any) -> onnxruntime.InferenceSession:
    """onnxruntime on a model, each node as ONNX defines it."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

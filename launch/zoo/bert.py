"""BERT-mini (Devlin et al. 2018; Turc et al. 2019), as PyTorch's older exporter writes Hugging Face's: Gelu by Erf."""

from __future__ import annotations

import math

import numpy as np
from onnx import ModelProto, TensorProto

from launch.zoo.tokens import AFTER_GELU, ATTENTION_GAIN, TokenBuilder

WIDTH, LAYERS, HEADS, TOKENS = 256, 4, 4, 128
VOCABULARY, POSITIONS = 30522, 512
MASKED = float(np.finfo(np.float32).min)
EPSILON = 1e-12  # of its normalisations
INT64 = TensorProto.INT64


def bert_mini(seed: int = 0) -> ModelProto:
    """Three inputs 1x128 int64 (ids, token types, mask) -> 1x128x256 and 1x256; 11.2 million weights."""
    net = TokenBuilder("bert_mini", seed, (1, TOKENS), "input_ids", INT64)
    types, mask = (net.add_input(name, (1, TOKENS), INT64) for name in ("token_type_ids", "attention_mask"))
    x, bias = _embedding(net, types), _mask(net, mask)
    for layer in range(LAYERS):
        name = f"layer.{layer}"
        x = net.node("Add", f"{name}.add1", [_attention(net, f"{name}.attention", x, bias), x])
        x = net.layer_norm(f"{name}.norm1", x, EPSILON)
        x = net.node("Add", f"{name}.add2", [_mlp(net, name, x), x])
        x = net.layer_norm(f"{name}.norm2", x, EPSILON)
    first = net.node("Gather", "pooler.first", [x, net.integers("zero", 0)], WIDTH, axis=1)
    pooled = net.node("Tanh", "pooler", [net.gemm("pooler.dense", first, WIDTH, 0.6)])
    return net.finish_all({"last_hidden_state": (x, (1, TOKENS, WIDTH)), "pooler_output": (pooled, (1, WIDTH))})


def _embedding(net: TokenBuilder, types: str) -> str:
    """Words, token types and positions, normalised; the positions are 0, 1, 2, ..."""
    words, kinds, places = (
        net.table(f"embeddings.{name}", (rows, WIDTH), size)
        for name, rows, size in (("word", VOCABULARY, 1.0), ("type", 2, 0.5), ("position", POSITIONS, 0.5))
    )
    x = net.node("Gather", "embeddings.words", [words, net.input], WIDTH)
    x = net.node("Add", "embeddings.add1", [x, net.node("Gather", "embeddings.types", [kinds, types], WIDTH)])
    position = net.integers("position_ids", np.arange(TOKENS).reshape(1, -1))
    x = net.node("Add", "embeddings.add2", [x, net.node("Gather", "embeddings.places", [places, position], WIDTH)])
    return net.layer_norm("embeddings.norm", x, EPSILON)


def _mask(net: TokenBuilder, mask: str) -> str:
    """[1, 1, 1, tokens]: 0 where the mask is 1, the lowest number where it is 0."""
    x = net.node("Unsqueeze", "mask.unsqueeze", [mask, net.integers("mask.axes", (1, 2))], TOKENS)
    x = net.node("Cast", "mask.cast", [x], to=TensorProto.FLOAT)
    x = net.node("Sub", "mask.inverted", [net.scalar("one", 1.0), x], TOKENS)
    return net.node("Mul", "mask.bias", [x, net.scalar("lowest", MASKED)], TOKENS)


def _attention(net: TokenBuilder, name: str, x: str, bias: str) -> str:
    """Self-attention with a matrix each for queries, keys and values."""
    size = WIDTH // HEADS
    q, k, v = (net.linear(f"{name}.{part}", x, WIDTH, ATTENTION_GAIN) for part in ("query", "key", "value"))
    q, v = (net.heads(f"{name}.{part}", x, TOKENS, HEADS) for part, x in (("query", q), ("value", v)))
    k = net.reshape(f"{name}.key.view", k, (1, TOKENS, HEADS, size), size)
    k = net.node("Transpose", f"{name}.key.heads", [k], TOKENS, perm=[0, 2, 3, 1])  # with the keys' own transposition
    scores = net.node("MatMul", f"{name}.scores", [q, k], TOKENS)
    scores = net.node("Div", f"{name}.scaled", [scores, net.scalar("scale", math.sqrt(size))])
    scores = net.node("Add", f"{name}.masked", [scores, bias])
    weights = net.node("Softmax", f"{name}.softmax", [scores], axis=-1)
    mixed = net.node("MatMul", f"{name}.mix", [weights, v], size)
    return net.linear(f"{name}.output", net.joined(name, mixed, TOKENS, WIDTH), WIDTH)


def _mlp(net: TokenBuilder, name: str, x: str) -> str:
    """Two linear layers with 0.5 x (1 + erf(x / root 2)) between them."""
    x = net.linear(f"{name}.intermediate", x, 4 * WIDTH)
    inner = net.node("Erf", f"{name}.erf", [net.node("Div", f"{name}.div", [x, net.scalar("root2", math.sqrt(2))])])
    inner = net.node("Add", f"{name}.one_more", [inner, net.scalar("one", 1.0)])
    x = net.node("Mul", f"{name}.gate", [x, inner])
    x = net.node("Mul", f"{name}.half", [x, net.scalar("half", 0.5)])
    return net.linear(f"{name}.output", x, WIDTH, AFTER_GELU)

"""A small GPT-2 (Radford et al. 2019), as exporters write it: Gelu by Tanh, a head tied to the embedding."""

from __future__ import annotations

import math

import numpy as np
from onnx import ModelProto, TensorProto

from launch.zoo.tokens import AFTER_GELU, ATTENTION_GAIN, BRANCH_GAIN, TokenBuilder

OPSET = 18
WIDTH, LAYERS, HEADS, TOKENS = 256, 4, 4, 64
VOCABULARY = 4096
MASKED = float(np.finfo(np.float32).min)


def gpt_tiny(seed: int = 0) -> ModelProto:
    """1x64 int64 ids -> 1x64x4096 logits; 4.2 million weights, the head's being those of the embedding, transposed."""
    net = TokenBuilder("gpt_tiny", seed, (1, TOKENS), "input_ids", TensorProto.INT64, OPSET)
    words = net.table("wte", (VOCABULARY, WIDTH))
    x = net.node("Gather", "embed", [words, net.input], WIDTH)
    x = net.node("Add", "position", [x, net.table("wpe", (1, TOKENS, WIDTH), 0.5)])
    net.boolean("causal", np.tril(np.ones((1, 1, TOKENS, TOKENS), np.bool_)))
    for layer in range(LAYERS):
        name = f"h.{layer}"
        x = net.node("Add", f"{name}.add1", [x, _attention(net, f"{name}.attn", net.layer_norm(f"{name}.ln_1", x))])
        x = net.node("Add", f"{name}.add2", [x, _mlp(net, f"{name}.mlp", net.layer_norm(f"{name}.ln_2", x))])
    x = net.layer_norm("ln_f", x)
    x = net.node("Mul", "head.scale", [x, net.scalar("head_scale", 1 / math.sqrt(WIDTH))])
    head = net.node("Transpose", "head.weight", [words], VOCABULARY, perm=[1, 0])
    return net.finish(net.node("MatMul", "head", [x, head], VOCABULARY), "logits", (1, TOKENS, VOCABULARY))


def _matrix(net: TokenBuilder, name: str, x: str, features: int, gain: float = 1.0) -> str:
    """A linear layer as GPT-2 stores it, weights [inputs, features]: Gemm on the tokens as rows of a matrix."""
    inputs = net.channels(x)
    rows = net.reshape(f"{name}.rows", x, (-1, inputs), inputs)
    weights = [net.matrix(f"{name}.weight", (inputs, features), gain), net.bias(f"{name}.bias", features)]
    product = net.node("Gemm", name, [rows, *weights], features)
    return net.reshape(f"{name}.tokens", product, (1, TOKENS, features), features)


def _attention(net: TokenBuilder, name: str, x: str) -> str:
    """Self-attention in which no token sees a later one."""
    x = _matrix(net, f"{name}.c_attn", x, 3 * WIDTH, ATTENTION_GAIN)
    sizes = net.integers("qkv_sizes", (WIDTH,) * 3)
    parts = net.parts("Split", f"{name}.split", [x, sizes], (WIDTH,) * 3, axis=2)
    q, k, v = (net.heads(f"{name}.{part}", x, TOKENS, HEADS) for part, x in zip("qkv", parts, strict=True))
    k = net.node("Transpose", f"{name}.k.turned", [k], TOKENS, perm=[0, 1, 3, 2])
    scores = net.node("MatMul", f"{name}.scores", [q, k], TOKENS)
    scores = net.node("Div", f"{name}.scaled", [scores, net.scalar("scale", math.sqrt(WIDTH // HEADS))])
    scores = net.node("Where", f"{name}.causal", ["causal", scores, net.scalar("lowest", MASKED)], TOKENS)
    weights = net.node("Softmax", f"{name}.softmax", [scores], axis=-1)
    mixed = net.node("MatMul", f"{name}.mix", [weights, v], WIDTH // HEADS)
    return _matrix(net, f"{name}.c_proj", net.joined(name, mixed, TOKENS, WIDTH), WIDTH, BRANCH_GAIN)


def _mlp(net: TokenBuilder, name: str, x: str) -> str:
    """Two linear layers with 0.5 x (1 + tanh(root(2 / pi) (x + 0.044715 x^3))) between them."""
    x = _matrix(net, f"{name}.c_fc", x, 4 * WIDTH)
    cube = net.node("Pow", f"{name}.pow", [x, net.scalar("three", 3.0)])
    cube = net.node("Mul", f"{name}.cube", [cube, net.scalar("cube_share", 0.044715)])
    inner = net.node("Add", f"{name}.inner", [x, cube])
    inner = net.node("Mul", f"{name}.scaled", [inner, net.scalar("root_2_pi", math.sqrt(2 / math.pi))])
    inner = net.node("Add", f"{name}.gate", [net.node("Tanh", f"{name}.tanh", [inner]), net.scalar("one", 1.0)])
    half = net.node("Mul", f"{name}.half", [x, net.scalar("half", 0.5)])
    return _matrix(
        net, f"{name}.c_proj", net.node("Mul", f"{name}.act", [half, inner]), WIDTH, AFTER_GELU * BRANCH_GAIN
    )

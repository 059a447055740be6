"""ViT-tiny and ViT-B/16 (Dosovitskiy et al. 2020; Touvron et al. 2020), as PyTorch's newer exporter writes timm's."""

from __future__ import annotations

from dataclasses import dataclass

from onnx import ModelProto

from launch.zoo.builder import CLASSES, IMAGE
from launch.zoo.tokens import AFTER_GELU, ATTENTION_GAIN, BRANCH_GAIN, TokenBuilder

OPSET = 20  # the first that has Gelu
LAYERS, PATCH = 12, 16
PATCHES = (IMAGE[2] // PATCH) ** 2
TOKENS = PATCHES + 1  # and the class token


@dataclass(frozen=True, slots=True)
class Size:
    """Features of a token, and heads of the attention."""

    width: int
    heads: int


def vit_tiny(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 5.7 million weights, 197 tokens of 192 features, 12 layers, 3 heads."""
    return _vit("vit_tiny", seed, Size(192, 3))


def vit_b16(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 86.6 million weights, 197 tokens of 768 features, 12 layers, 12 heads."""
    return _vit("vit_b16", seed, Size(768, 12))


def _vit(name: str, seed: int, size: Size) -> ModelProto:
    net, width = TokenBuilder(name, seed, IMAGE, opset=OPSET), size.width
    x = net.conv("patch_embed", net.input, width, PATCH, PATCH, gain=0.6)
    x = net.reshape("patch_embed.flatten", x, (1, width, PATCHES), PATCHES)
    x = net.node("Transpose", "patch_embed.tokens", [x], width, perm=[0, 2, 1])
    x = net.node("Concat", "class_token", [net.table("cls_token", (1, 1, width)), x], width, axis=1)
    x = net.node("Add", "position", [x, net.table("pos_embed", (1, TOKENS, width), 0.5)])
    for layer in range(LAYERS):
        block = f"blocks.{layer}"
        branch = _attention(net, f"{block}.attn", net.layer_norm(f"{block}.norm1", x), size)
        x = net.node("Add", f"{block}.add1", [x, branch])
        x = net.node("Add", f"{block}.add2", [x, _mlp(net, f"{block}.mlp", net.layer_norm(f"{block}.norm2", x))])
    x = net.layer_norm("norm", x)
    x = net.node("Gather", "select", [x, net.integers("first", 0)], width, axis=1)
    return net.finish(net.gemm("head", x, CLASSES, 0.6))


def _attention(net: TokenBuilder, name: str, x: str, size: Size) -> str:
    """Self-attention with one matrix for queries, keys and values, its scale on both sides of the product."""
    width, heads, each = size.width, size.heads, size.width // size.heads
    x = net.linear(f"{name}.qkv", x, 3 * width, ATTENTION_GAIN)
    x = net.reshape(f"{name}.view", x, (1, TOKENS, 3, heads, each), each)
    x = net.node("Transpose", f"{name}.permute", [x], perm=[2, 0, 3, 1, 4])
    sizes = net.integers("qkv_sizes", (1, 1, 1))
    stacked = net.parts("Split", f"{name}.unbind", [x, sizes], (each,) * 3, axis=0)
    axes, scale = net.integers("first_axis", [0]), net.scalar("root_scale", each**-0.25)
    q, k, v = (net.node("Squeeze", f"{name}.{part}", [x, axes]) for part, x in zip("qkv", stacked, strict=True))
    k = net.node("Transpose", f"{name}.k_turned", [k], TOKENS, perm=[0, 1, 3, 2])
    scaled = [net.node("Mul", f"{name}.{part}_scaled", [x, scale]) for part, x in (("q", q), ("k", k))]
    scores = net.node("MatMul", f"{name}.scores", scaled, TOKENS)
    weights = net.node("Softmax", f"{name}.softmax", [scores], axis=-1)
    mixed = net.node("MatMul", f"{name}.mix", [weights, v], each)
    return net.linear(f"{name}.proj", net.joined(name, mixed, TOKENS, width), width, BRANCH_GAIN)


def _mlp(net: TokenBuilder, name: str, x: str) -> str:
    """Two linear layers, four times as wide between them."""
    width = net.channels(x)
    x = net.node("Gelu", f"{name}.act", [net.linear(f"{name}.fc1", x, 4 * width)])
    return net.linear(f"{name}.fc2", x, width, AFTER_GELU * BRANCH_GAIN)

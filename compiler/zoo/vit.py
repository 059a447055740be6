"""ViT-tiny (Dosovitskiy et al. 2020; Touvron et al. 2020, DeiT-Ti), as PyTorch's newer exporter writes timm's."""

from __future__ import annotations

from onnx import ModelProto

from compiler.zoo.builder import CLASSES, IMAGE
from compiler.zoo.tokens import AFTER_GELU, ATTENTION_GAIN, BRANCH_GAIN, TokenBuilder

OPSET = 20  # the first that has Gelu
WIDTH, LAYERS, HEADS, PATCH = 192, 12, 3, 16
PATCHES = (IMAGE[2] // PATCH) ** 2
TOKENS = PATCHES + 1  # and the class token


def vit_tiny(seed: int = 0) -> ModelProto:
    """1x3x224x224 -> 1x1000; 5.7 million weights, 197 tokens of 192 features, 12 layers, 3 heads."""
    net = TokenBuilder("vit_tiny", seed, IMAGE, opset=OPSET)
    x = net.conv("patch_embed", net.input, WIDTH, PATCH, PATCH, gain=0.6)
    x = net.reshape("patch_embed.flatten", x, (1, WIDTH, PATCHES), PATCHES)
    x = net.node("Transpose", "patch_embed.tokens", [x], WIDTH, perm=[0, 2, 1])
    x = net.node("Concat", "class_token", [net.table("cls_token", (1, 1, WIDTH)), x], WIDTH, axis=1)
    x = net.node("Add", "position", [x, net.table("pos_embed", (1, TOKENS, WIDTH), 0.5)])
    for layer in range(LAYERS):
        name = f"blocks.{layer}"
        x = net.node("Add", f"{name}.add1", [x, _attention(net, f"{name}.attn", net.layer_norm(f"{name}.norm1", x))])
        x = net.node("Add", f"{name}.add2", [x, _mlp(net, f"{name}.mlp", net.layer_norm(f"{name}.norm2", x))])
    x = net.layer_norm("norm", x)
    x = net.node("Gather", "select", [x, net.integers("first", 0)], WIDTH, axis=1)
    return net.finish(net.gemm("head", x, CLASSES, 0.6))


def _attention(net: TokenBuilder, name: str, x: str) -> str:
    """Self-attention with one matrix for queries, keys and values, its scale on both sides of the product."""
    size = WIDTH // HEADS
    x = net.linear(f"{name}.qkv", x, 3 * WIDTH, ATTENTION_GAIN)
    x = net.reshape(f"{name}.view", x, (1, TOKENS, 3, HEADS, size), size)
    x = net.node("Transpose", f"{name}.permute", [x], perm=[2, 0, 3, 1, 4])
    sizes = net.integers("qkv_sizes", (1, 1, 1))
    stacked = net.parts("Split", f"{name}.unbind", [x, sizes], (size,) * 3, axis=0)
    axes, scale = net.integers("first_axis", [0]), net.scalar("root_scale", size**-0.25)
    q, k, v = (net.node("Squeeze", f"{name}.{part}", [x, axes]) for part, x in zip("qkv", stacked, strict=True))
    k = net.node("Transpose", f"{name}.k_turned", [k], TOKENS, perm=[0, 1, 3, 2])
    scaled = [net.node("Mul", f"{name}.{part}_scaled", [x, scale]) for part, x in (("q", q), ("k", k))]
    scores = net.node("MatMul", f"{name}.scores", scaled, TOKENS)
    weights = net.node("Softmax", f"{name}.softmax", [scores], axis=-1)
    mixed = net.node("MatMul", f"{name}.mix", [weights, v], size)
    return net.linear(f"{name}.proj", net.joined(name, mixed, TOKENS, WIDTH), WIDTH, BRANCH_GAIN)


def _mlp(net: TokenBuilder, name: str, x: str) -> str:
    """Two linear layers, four times as wide between them."""
    x = net.node("Gelu", f"{name}.act", [net.linear(f"{name}.fc1", x, 4 * WIDTH)])
    return net.linear(f"{name}.fc2", x, WIDTH, AFTER_GELU * BRANCH_GAIN)

"""Prints functions of jax 0.10.2 as StableHLO, and what jax computes."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

rng = np.random.default_rng(0)
W1, b1, W2 = (rng.standard_normal(s).astype(np.float32) / 4 for s in ((12, 16), (16,), (16, 5)))
K = (rng.standard_normal((3, 3, 2, 4)) / 4).astype(np.float32)
Q = rng.integers(-128, 128, (10, 6)).astype(np.int8)


def mlp(x):
    y = jax.nn.relu(x @ W1 + b1) @ W2
    return jax.nn.softmax(y, axis=-1)


def conv(x):
    y = lax.conv_general_dilated(x, K, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jnp.maximum(y, 0.1 * y)
    return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 1, 1), "VALID").mean(axis=(1, 2))


def int8(x):
    return lax.dot_general(x, Q, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)


def einsum(a, b):
    return jnp.einsum("abc,bdc->ad", a, b), jnp.argmax(a, axis=1)


shapes = {"mlp": [(3, 12)], "conv": [(1, 9, 9, 2)], "int8": [(4, 10)], "einsum": [(2, 3, 4), (3, 5, 4)]}


def inputs_of(name):
    if name == "int8":
        return [rng.integers(-100, 100, shape).astype(np.int8) for shape in shapes[name]]
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes[name]]


for f in (mlp, conv, int8, einsum):
    name = f.__name__
    inputs = inputs_of(name)
    Path(f"jax_{name}.stablehlo").write_text(jax.jit(f).lower(*inputs).as_text())
    outputs = jax.tree.leaves(f(*inputs))
    arrays = {f"x{place}": array for place, array in enumerate(inputs)}
    np.savez(f"jax_{name}.npz", **arrays, **{f"y{place}": np.asarray(array) for place, array in enumerate(outputs)})

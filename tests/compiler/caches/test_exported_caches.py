"""Decoders as exporters write them: steps with caches of fixed capacity are those of the model as it is."""

import exported_decoders as exported
import numpy as np
import pytest
from exported_graphs import grown
from in_process import assert_close, golden

from compiler.caches.fixed import with_fixed_caches
from compiler.frontend.model import load_model

DECODERS = {
    "gpt2": exported.gpt2,
    "gpt2 of a batch, by twos": lambda: exported.gpt2(2, 2),
    "llama": exported.llama,
    "llama of a batch, by twos": lambda: exported.llama(2, 2, positions="input"),
    "llama with padding": lambda: exported.llama(2, 2, mask="padding"),
    "llama with a causal mask": lambda: exported.llama(1, 3, mask="none", positions="table"),
    "t5": exported.t5,
    "t5 of a batch, by twos": lambda: exported.t5(2, 2),
    "keys and values in one": exported.stacked,
    "bloom": exported.bloom,
}


def fixed_steps(decoder, length, feeds):
    """Outputs of all steps of the model with fixed caches, by onnxruntime."""
    fixed = with_fixed_caches(load_model(decoder.model), length, decoder.shapes)
    proto = fixed.model.proto
    infos = {value.name: value.type.tensor_type for value in proto.graph.input}
    values = {
        name: np.zeros([dim.dim_value for dim in infos[name].shape.dim], np.int64 if name == "position" else np.float32)
        for name in fixed.states
    }
    for feed in feeds:
        outputs = golden(proto, feed | values)
        values = {name: outputs[made] for name, made in fixed.states.items()}
        yield outputs


def check(decoder, length, steps):
    """Compare all outputs in all steps; of a cache what it holds."""
    plain, full = zip(*decoder.feeds(steps, length), strict=True)
    position = 0
    for wanted, found in zip(grown(decoder, plain), fixed_steps(decoder, length, full), strict=True):
        position += decoder.tokens
        assert found["next_position"].tolist() == [position]
        for name, array in wanted.items():
            front = tuple(slice(0, size) for size in array.shape)
            if name not in decoder.states.values():
                assert found[name].shape == array.shape
            assert_close({name: found[name][front]}, {name: array})


@pytest.mark.few(5)
@pytest.mark.parametrize("name", DECODERS)
def test_steps_are_those_of_caches_that_grow(name):
    decoder = DECODERS[name]()
    check(decoder, 5 * decoder.tokens + 1, 5)

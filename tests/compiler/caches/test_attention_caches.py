"""Caches of fixed capacity: steps with them are the whole sequence, and other uses are refused in one sentence."""

import numpy as np
import onnx
import pytest
from decoders import HEADS, WIDTH, decoder, empty_caches
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import assert_close, golden
from onnx import TensorProto, helper
from onnx_models import make_model

from compiler.caches.fixed import with_fixed_caches
from compiler.compiling import lower
from compiler.frontend.model import load_model
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch import Arch
from emu.errors import CompileError, EmuError


def fixed(model, length, shapes=None):
    """The model with fixed caches, and its states."""
    found = with_fixed_caches(load_model(model), length, shapes or {})
    return found.model.proto, found.states


def import_with(model, max_length=None, shapes=None, states=None):
    request = make_request(model, Arch(), cores=8, max_length=max_length, shapes=shapes, states=states, until="onnx")
    context = make_context(Arch(), request.options)
    lower(request, context)
    return context


def in_steps(model, states, feeds):
    """Outputs of all steps, by onnxruntime; states begin with zeros."""
    infos = {value.name: value.type.tensor_type for value in model.graph.input}
    values = {
        name: np.zeros(
            [dim.dim_value for dim in infos[name].shape.dim], helper.tensor_dtype_to_np_dtype(infos[name].elem_type)
        )
        for name in states
    }
    for feed in feeds:
        outputs = golden(model, feed | values)
        values = {name: outputs[made] for name, made in states.items()}
        yield outputs


@settings(max_examples=20)
@given(
    chunk=st.integers(1, 3),
    steps=st.integers(1, 3),
    room=st.integers(0, 2),
    batch=st.integers(1, 2),
    causal=st.booleans(),
    mask=st.sampled_from([None, TensorProto.BOOL, TensorProto.FLOAT]),
    seed=st.integers(0, 99),
)
def test_steps_are_what_growing_caches_give(chunk, steps, room, batch, causal, mask, seed):
    """The model as it is, with caches that grow, against the one of fixed capacity, in chunks of tokens."""
    rng, length = np.random.default_rng(seed), chunk * steps + room
    model = decoder(mask=mask, batch=batch, is_causal=int(causal))
    ids = rng.integers(0, 11, (steps, batch, chunk))
    rewritten, states = fixed(model, length, {"ids": (batch, chunk)})
    growing, feeds, wanted = empty_caches(batch=batch), [], []
    for step in range(steps):
        total, given_mask = chunk * (step + 1), {}
        feed = {"ids": ids[step]}
        if mask is not None:
            full = np.zeros((chunk, length), np.float32)
            full[:, 1:total] = np.where(rng.random((chunk, total - 1)) < 0.3, -np.inf, 0)
            array = full == 0 if mask == TensorProto.BOOL else full
            given_mask, feed = {"mask": array[:, :total]}, feed | {"mask": array}
        outputs = golden(model, {"ids": ids[step]} | given_mask | growing)
        growing = {name: outputs[states[name]] for name in growing}
        feeds.append(feed)
        wanted.append(outputs)
    for outputs, found in zip(wanted, in_steps(rewritten, states, feeds), strict=True):
        assert_close(found, {"scores": outputs["scores"]})
    assert found["next_position"].tolist() == [chunk * steps]
    for name, array in growing.items():
        assert_close({name: found[states[name]][:, :, : chunk * steps]}, {name: array})


def test_inputs_of_rank_four_and_names_that_are_taken():
    names = ("q", "k", "v")
    cache = [1, HEADS, "past", WIDTH]
    node = helper.make_node("Attention", [*names, "", "position", "pv"], ["y", "next_position", "w"], "the_node")
    model = make_model(
        [node],
        {name: [1, HEADS, 1, WIDTH] for name in names} | {"position": cache, "pv": cache},
        ("y", "next_position", "w"),
        opset=23,
    )
    rewritten, states = fixed(model, 4)
    assert states == {"position": "next_position", "pv": "w", "position'": "next_position'"}
    feeds = [
        {name: np.random.default_rng((step, place)).standard_normal((1, HEADS, 1, WIDTH)).astype(np.float32)
         for place, name in enumerate(names)}
        for step in range(4)
    ]  # fmt: skip
    keys, values = (np.concatenate([feed[name] for feed in feeds], 2) for name in ("k", "v"))
    scores = (feeds[-1]["q"] @ keys.swapaxes(2, 3)) / np.sqrt(WIDTH)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    *_, last = in_steps(rewritten, states, feeds)
    assert_close(last, {"y": weights @ values})


def test_all_caches_and_the_position_are_states():
    context = import_with(decoder(), max_length=8, shapes={"ids": (1, 1)})
    assert len(context.states) == 5
    assert ("position", "next_position") in [(state.input, state.output) for state in context.states]
    assert context.settings["max_length"] == "8"


def test_a_shape_for_a_single_step_needs_no_length():
    model = decoder(layers=1)
    shapes = {"ids": (1, 1), **{f"past_key_values.0.{part}": (1, HEADS, 3, WIDTH) for part in ("key", "value")}}
    assert import_with(model, shapes=shapes).states == ()


def edited(change, opset=23):
    model = decoder(layers=1)
    model.opset_import[0].version = opset
    change(model.graph)
    return model


def _only(graph):
    return next(node for node in graph.node if node.op_type == "Attention")


def _inner(graph):
    del graph.output[-1]


def _window(graph):
    _only(graph).attribute.append(helper.make_attribute("left_window_size", 2))


def _scores(graph):
    _only(graph).output.append("qk")


def concat():
    node = helper.make_node("Concat", ["past", "x"], ["present"], "grow", axis=1)
    return make_model([node], {"past": [1, "n", 4], "x": [1, 1, 4]}, ("present",))


@pytest.mark.parametrize(
    ("model", "length", "message"),
    [
        (
            edited(_inner),
            8,
            r"'attention0' \(Attention\) does not give the caches that it makes of 'past_key_values.0.va",
        ),
        (edited(_window, 25), 8, "has a window of attention"),
        (edited(_scores), 8, "gives its scores"),
        (decoder(layers=1), None, r"input 'past_key_values.0.key' grows: node 'attention0' \(Attention\) appends"),
        (concat(), None, r"input 'past' grows: node 'grow' \(Concat\) appends to it in every step: .* by max_length"),
        (make_model([helper.make_node("Relu", ["x"], ["y"])], {"x": [1, 4]}), 8, "has no cache that grows"),
    ],
)
def test_what_is_not_supported_is_refused_in_one_sentence(model, length, message):
    with pytest.raises(CompileError, match=message):
        import_with(model, max_length=length, shapes={"ids": (1, 1)} if "ids" in str(model.graph.input) else {})


@pytest.mark.parametrize("length", [0, -1, True, 2.5, "8"])
def test_a_length_is_a_positive_number(length):
    with pytest.raises(EmuError, match="is no number of tokens"):
        import_with(decoder(), max_length=length)


def test_the_model_itself_stays_as_it_is():
    model = decoder()
    before = model.SerializeToString()
    fixed(model, 4, {"ids": (1, 1)})
    assert model.SerializeToString() == before
    onnx.checker.check_model(model)

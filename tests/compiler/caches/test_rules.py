"""Each rule on a cache of vectors: results are those of the cache as it grows, whatever stands behind its end."""

import numpy as np
import pytest
from draws import examples
from exported_decoders import memory
from exported_graphs import WIDTH, grown
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import assert_close, golden
from onnx import TensorProto

from compiler.caches import standing
from compiler.caches.fixed import with_fixed_caches
from compiler.frontend.model import load_model
from emu.errors import CompileError

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def reduced(kind, axes=(1,), keep=1):
    return lambda g, cache, x: g(kind, cache, list(axes), keepdims=keep)


def total(g, cache):
    return g.size(cache, 1)


def weighted(g, cache, x):
    """Attention of x to the cache."""
    weights = g("Softmax", g("MatMul", x, g("Transpose", cache, perm=[0, 2, 1])), axis=2)
    return g("MatMul", weights, cache)


def back(g, cache, axis=1):
    """Something without an axis that grows, so that it may be an output."""
    return g("ReduceSum", cache, [axis], keepdims=0)


RULES = {
    **{f"{kind} over {axes}": reduced(kind, axes) for axes in ((1,), (1, 2), (-2,))
       for kind in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                    "ReduceSumSquare", "ReduceLogSumExp")},
    "ReduceMean of everything": lambda g, c, x: g("ReduceMean", c, keepdims=0),
    "a mean of one axis, then of the other": lambda g, c, x: g("ReduceMean", g("ReduceMean", c, [2]), [1], keepdims=0),
    "ReduceMax of integers": lambda g, c, x: g("ReduceMax", g("Cast", g("Mul", c, 9.0), kind=TensorProto.INT32), [1]),
    "ArgMax": lambda g, c, x: g("ArgMax", g("Sub", c, 9.0), axis=1),
    "ArgMin": lambda g, c, x: g("ArgMin", g("Add", c, 9.0), axis=1, keepdims=0),
    "ArgMax of another axis": lambda g, c, x: back(g, g("Cast", g("ArgMax", c, axis=2), kind=FLOAT)),
    "attention": weighted,
    "Softmax along another axis": lambda g, c, x: back(g, g("Softmax", c, axis=2)),
    "LogSoftmax": lambda g, c, x: g("ReduceMin", g("LogSoftmax", c, axis=1), [1]),
    "a product of the cache with itself": lambda g, c, x: g("MatMul", g("Transpose", c, perm=[0, 2, 1]), c),
    "a product of what is not zero": lambda g, c, x: g("MatMul", g("Transpose", g("Exp", c), perm=[0, 2, 1]),
                                                       g("Log", g("Abs", c))),
    "Einsum": lambda g, c, x: g("Einsum", g("Exp", c), c, equation="btd,bte->bde"),
    "Einsum to a sum": lambda g, c, x: g("Einsum", g("Exp", c), equation="btd->bd"),
    "Gemm": lambda g, c, x: g("Gemm", g("Squeeze", c, [0]), g("Squeeze", g("Cos", c), [0]), transA=1),
    "a scaled cache": lambda g, c, x: back(g, g("MatMul", c, g.weight(WIDTH, 3))),
    "CumSum": lambda g, c, x: back(g, g("Relu", g("CumSum", c, 1))),
    "CumSum from the end": lambda g, c, x: back(g, g("Relu", g("CumSum", g("Exp", c), 1, reverse=1))),
    "the first token": lambda g, c, x: g("Gather", c, 0, axis=1),
    "the last token": lambda g, c, x: g("Gather", c, [-1], axis=1),
    "a token that is computed": lambda g, c, x: g("Gather", c, g("Squeeze", g("Cast", g("Mul", g("ReduceMax",
        g("Tanh", g("Slice", x, [0], [1], [1])), [0, 1, 2], keepdims=0), 0.0), kind=INT64)), axis=1),
    "the last token, sliced": lambda g, c, x: g("Slice", c, [-1], [2**63 - 1], [1]),
    "the new tokens": lambda g, c, x: g("Slice", c, g("Unsqueeze", g.size("past", 1), [0]), [2**31], [1]),
    "all of it": lambda g, c, x: back(g, g("Slice", c, [0], g("Unsqueeze", total(g, c), [0]), [1])),
    "all but the last": lambda g, c, x: back(g, g("Slice", c, [0], [-1], [1])),
    "half of each": lambda g, c, x: back(g, g("Slice", c, [2], [4], [2])),
    "backwards along another axis": lambda g, c, x: back(g, g("Slice", c, [-1], [-99], [2], [-1])),
    "parts": lambda g, c, x: back(g, g("Mul", *g("Split", c, [2, 2], outputs=2, axis=2))),
    "Tile": lambda g, c, x: back(g, g("Tile", c, [2, 1, 3])),
    "Tile to the cache": lambda g, c, x: back(g, g("Mul", c, g("Tile", g("Slice", x, [0], [1], [1]),
                                                             g.list(1, total(g, c), 1)))),
    "Expand to the cache": lambda g, c, x: back(g, g("Expand", g("Slice", x, [0], [1], [1]), g("Shape", c))),
    "Pad of another axis": lambda g, c, x: back(g, g("Pad", c, [0, 0, 1, 0, 0, 1], 2.0)),
    "LayerNormalization": lambda g, c, x: back(g, g("LayerNormalization", c, g.weight(WIDTH), axis=-1)),
    "Flatten": lambda g, c, x: back(g, g("Flatten", c, axis=2), 0),
    "Reshape with a rest": lambda g, c, x: back(g, g("Reshape", c, [1, -1, 2, 2])),
    "Concat of another axis": lambda g, c, x: back(g, g("Concat", c, g("Exp", c), axis=2)),
    "Concat of several": lambda g, c, x: back(g, g("Concat", "past", g("Slice", x, [0], [1], [1]),
                                                  g("Slice", x, [1], [2**31], [1]), axis=1)),
    "Where": lambda g, c, x: back(g, g("Where", g("Less", c, 0.0), c, g("Neg", c))),
    "its size": lambda g, c, x: g("Size", c),
    "its shape": lambda g, c, x: g("Shape", c),
    "a mask by tokens": lambda g, c, x: back(g, g("Where", g("Unsqueeze", g("Equal", g("Mod", g("Range", 0,
        total(g, c), 1), 2), 0), [0, 2]), c, 0.0)),
    "a table by tokens": lambda g, c, x: g("Div", x, g("Cast", g("Mul", total(g, c), total(g, c)), kind=FLOAT)),
    "every token with every other": lambda g, c, x: back(g, back(g, g("Softmax", g("MatMul", c, g("Transpose", c,
        perm=[0, 2, 1])), axis=2), 2)),
    "indices of all tokens": lambda g, c, x: back(g, g("Gather", g.weight(9, WIDTH), g("Cast", g("Clip", g("Mul",
        g("ReduceMax", c, [2], keepdims=0), 3.0), 0.0, 8.0), kind=INT64))),
    "scaled to integers": lambda g, c, x: back(g, g("DequantizeLinear", g("QuantizeLinear", c, 0.1), 0.1)),
}  # fmt: skip


def fixed_outputs(decoder, length, feeds):
    """Outputs of all steps of the model with fixed caches, which stand on rubbish instead of zeros."""
    fixed = with_fixed_caches(load_model(decoder.model), length, decoder.shapes)
    infos = {value.name: value.type.tensor_type for value in fixed.model.proto.graph.input}
    shapes = {name: [dim.dim_value for dim in infos[name].shape.dim] for name in fixed.states}
    values = {name: np.full(shape, 77.0, np.float32) for name, shape in shapes.items()}
    values["position"] = np.zeros(1, np.int64)
    for feed in feeds:
        outputs = golden(fixed.model.proto, feed | values)
        values = {name: outputs[made] for name, made in fixed.states.items()}
        yield outputs


def check(decoder, length, steps, seed=0):
    plain, full = zip(*decoder.feeds(steps, length, seed), strict=True)
    for wanted, found in zip(grown(decoder, plain), fixed_outputs(decoder, length, full), strict=True):
        results = {name: array for name, array in wanted.items() if name not in decoder.states.values()}
        assert {name: found[name].shape for name in results} == {name: results[name].shape for name in results}
        assert_close({name: found[name] for name in results}, results)


@pytest.mark.parametrize("name", RULES)
def test_results_are_those_of_the_cache_as_it_grows(name):
    check(memory(RULES[name], tokens=2), 7, 3)


@settings(max_examples=examples(13, 100))
@given(
    names=st.lists(st.sampled_from(sorted(RULES)), min_size=2, max_size=4, unique=True),
    tokens=st.integers(2, 3),
    steps=st.integers(1, 4),
    room=st.integers(0, 3),
    seed=st.integers(0, 99),
)
def test_several_of_them(names, tokens, steps, room, seed):
    check(memory(*(RULES[name] for name in names), tokens=tokens), tokens * steps + room, steps, seed)


def test_what_is_too_large_for_a_table_is_computed(monkeypatch):
    """The position is added to numbers instead of taken from a row of a table."""
    monkeypatch.setattr(standing, "TABLE_BYTES", 16)
    kinds = []
    for name in ("a mask by tokens", "a table by tokens"):
        decoder = memory(RULES[name], tokens=2)
        check(decoder, 9, 4)
        fixed = with_fixed_caches(load_model(decoder.model), 9, {})
        kinds.append({node.op_type for node in fixed.model.proto.graph.node})
    assert all("Gather" not in found for found in kinds)


def test_equal_constants_are_one():
    """Layers share what depends on the position alone."""
    decoder = memory(*[RULES["attention"]] * 4)
    fixed = with_fixed_caches(load_model(decoder.model), 8, {})
    kinds = [node.op_type for node in fixed.model.proto.graph.node]
    assert kinds.count("Less") == 1 and kinds.count("Softmax") == 4


REFUSED = {
    "TopK": lambda g, c, x: g("TopK", c, [1], outputs=2, axis=1)[0],
    "the last of several places": lambda g, c, x: g("ArgMax", c, axis=1, select_last_index=1),
    "puts axis 1": lambda g, c, x: back(g, g("Reshape", c, [1, 2, -1])),
    "is no cache": lambda g, c, x: g("Exp", c),
    "not longer by as much with each token": lambda g, c, x: g("ReduceSum", g("Concat", *g("Split", c, num_outputs=2,
        outputs=2, axis=1), axis=0), [1]),
    "does not begin with the first token": lambda g, c, x: back(g, g("Slice", c, [1], [2**31], [1])),
    "somewhere else than in front": lambda g, c, x: back(g, g("Concat", x, "past", axis=1)),
    "when the caches hold 0 tokens": lambda g, c, x: g("Slice", c, [-3], [2**31], [1]),
    "of a shape that ONNX cannot tell": lambda g, c, x: back(g, g("Slice", c, [0], g("Cast", g("ReduceMax", x, [0, 1],
        keepdims=0), kind=INT64), [1])),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_no_rule_knows_is_refused_in_one_sentence(message):
    decoder = memory(REFUSED[message])
    with pytest.raises(CompileError, match=message) as caught:
        with_fixed_caches(load_model(decoder.model), 8, {})
    text = str(caught.value)
    assert "node '" in text and "'past'" in text and "max_length" in text and text.count("\n") == 0


def test_an_index_behind_the_end_traps():
    """Of an axis with room, too."""

    def take(g, cache, x):
        return g("Gather", cache, g("Cast", g("ReduceMax", x, [0, 1, 2], keepdims=0), kind=INT64), axis=1)

    fixed = with_fixed_caches(load_model(memory(take).model), 8, {}).model.proto
    zeros = {"past": np.zeros((1, 8, WIDTH), np.float32), "position": np.array([2])}
    assert golden(fixed, zeros | {"x": np.full((1, 1, WIDTH), 2, np.float32)})["y0"].tolist() == [[2.0] * WIDTH]
    with pytest.raises(Exception, match="out of"):
        golden(fixed, zeros | {"x": np.full((1, 1, WIDTH), 3, np.float32)})

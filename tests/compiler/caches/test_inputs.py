"""Which inputs grow, how long a step is, and what is said where that cannot be told."""

import exported_decoders as exported
import numpy as np
import onnx
import pytest
from exported_decoders import memory
from exported_graphs import WIDTH, Graph
from onnx import TensorProto, helper
from onnx_models import make_model

from compiler.caches.fixed import with_fixed_caches
from compiler.frontend.model import load_model
from emu.errors import CompileError


def fixed(model, length, **shapes):
    return with_fixed_caches(load_model(model), length, shapes)


def sizes(model):
    infos = {value.name: value.type.tensor_type.shape.dim for value in model.graph.input}
    return {name: [dim.dim_value for dim in dims] for name, dims in infos.items()}


def test_inputs_have_room_and_take_sizes_from_axes_of_the_same_name():
    found = fixed(exported.gpt2(2, 3, layers=1).model, 12, input_ids=(2, 3))
    assert sizes(found.model.proto) == {
        "input_ids": [2, 3],
        "attention_mask": [2, 12],
        "past_key_values.0.key": [2, 2, 12, WIDTH],
        "past_key_values.0.value": [2, 2, 12, WIDTH],
        "position": [1],
    }
    assert (found.room.length, found.room.step) == (12, 3)
    assert found.states["past_key_values.0.key"] == "present.0.key"


def test_a_mask_whose_axis_has_a_name_of_its_own_is_told_by_what_fits():
    model = exported.bloom(1, 2).model
    next(value for value in model.graph.input if value.name == "attention_mask").type.tensor_type.shape.dim[
        1
    ].dim_param = "whatever"
    assert sizes(fixed(model, 8, input_ids=(1, 2)).model.proto)["attention_mask"] == [1, 8]


def test_an_axis_that_is_bound_to_nothing_is_asked_for():
    """What attends to an encoder of any length would work with caches of that length, too."""
    model = exported.t5().model
    encoded = next(value for value in model.graph.input if value.name == "encoded")
    encoded.type.tensor_type.shape.dim[1].dim_param = "encoder_length"
    with pytest.raises(CompileError, match=r"input 'encoded' has a dynamic shape that does not depend on its caches"):
        fixed(model, 8, input_ids=(1, 1))
    found = fixed(model, 8, input_ids=(1, 1), encoded=(1, 5, 8))
    assert sizes(found.model.proto)["encoded"] == [1, 5, 8]


def test_of_several_outputs_the_one_that_is_longer_is_the_state():
    decoder = memory(
        lambda g, cache, x: g("Gather", cache, 0, axis=1), lambda g, cache, x: g("Slice", cache, [-1], [9], [1])
    )
    model = decoder.model
    model.graph.output.insert(0, model.graph.output.pop())
    assert fixed(model, 4).states == {"past": "present", "position": "next_position"}


def two_steps():
    """Two caches, of which one takes two tokens in a step."""
    g = Graph()
    for name, count in (("a", 1), ("b", 2)):
        g.input(name, TensorProto.FLOAT, [1, count, WIDTH])
        g.input(f"past_{name}", TensorProto.FLOAT, [1, f"past_{name}", WIDTH])
        g("Concat", f"past_{name}", name, to=f"present_{name}", axis=1)
        g.output(f"present_{name}", TensorProto.FLOAT, [1, f"total_{name}", WIDTH])
    return g.model()


def lost():
    """The longer cache is no output."""
    model = memory(lambda g, cache, x: g("ReduceSum", cache, [1])).model
    del model.graph.output[0]
    return model


def looping():
    """A loop that uses the cache."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["going"]), helper.make_node("ReduceSum", ["present"], ["sum"])],
        "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go", 9, [])],
        [helper.make_tensor_value_info("going", 9, []), helper.make_tensor_value_info("sum", 1, [1, 1, 1])],
    )
    return memory(lambda g, cache, x: g("Loop", 3, "", body=body)).model


@pytest.mark.parametrize(
    ("model", "length", "shapes", "message"),
    [
        (two_steps(), 8, {}, "its caches take 1 or 2 tokens in a step: max_length needs one position for all"),
        (memory(tokens=3).model, 2, {}, "its caches take 3 tokens in a step: max_length must be as large at least"),
        (lost(), 8, {}, r"node '/Concat_0' \(Concat\) does not give the caches that it makes of 'past' to outputs"),
        (looping(), 8, {}, r"node '/Loop_1' \(Loop\) (has a graph of its own|makes a result of a shape)"),
        (exported.gpt2().model, 8, {}, r"input 'input_ids' has a dynamic shape .*: give it as in .*\(1, 1\)"),
        (exported.gpt2().model, 40, {"input_ids": (1, 1)}, r"after 39 tokens, .* try a smaller max_length"),
        (exported.t5().model, None, {}, r"input 'past_key_values.0.key' grows: .* by max_length \(which is for"),
        (exported.gpt2().model, 8, {"input_ids": (1, 1), "attention_mask": (2, 8)}, "that are all called 'batch_size'"),
        (make_model([helper.make_node("Relu", ["x"], ["y"])], {"x": [1, 4]}), 8, {}, "has no cache that grows"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_one_sentence(model, length, shapes, message):
    with pytest.raises(CompileError, match=message) as caught:
        fixed(model, length, **shapes)
    assert "\n" not in str(caught.value)


def test_old_operator_sets_are_refused():
    model = memory().model
    model.opset_import[0].version = 12
    with pytest.raises(CompileError, match="is of operator set 12: max_length is for 13 and newer"):
        fixed(model, 8)


def test_the_file_of_golden_values_has_its_weights(tmp_path):
    model = exported.llama(layers=1).model
    onnx.save(model, tmp_path / "model.onnx", save_as_external_data=True, location="data", size_threshold=16)
    fixed = with_fixed_caches(load_model(tmp_path / "model.onnx"), 8, {"input_ids": (1, 1)})
    path = fixed.save(tmp_path / "fixed")
    written = onnx.load(path)
    given = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in written.graph.initializer}
    plain = {
        tensor.name: onnx.numpy_helper.to_array(tensor)
        for tensor in onnx.load(tmp_path / "model.onnx").graph.initializer
    }
    assert all(np.array_equal(given[name], plain[name]) for name in given.keys() & plain.keys())
    assert len(given.keys() & plain.keys()) > 8

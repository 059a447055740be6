"""Which states a model has: those that are named, or those of usual names; what cannot be one is refused."""

import pytest
from onnx import TensorProto, helper
from onnx_models import make_model
from stepped_nets import accumulator

from compiler.basis.options import CompileOptions
from compiler.compiling import lower
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch import Arch
from emu.errors import CompileError, InputError
from emu.options import checked

KEPT = ("past_key", "past_key_values.0.key", "past.1.value", "past_less", "other")
MADE = ("present_key", "present.0.key", "present.1.value", "present_more", "others")


def states(model, asked):
    request = make_request(model, Arch(), cores=8, states=asked, until="onnx")
    context = make_context(Arch(), request.options)
    lower(request, context)
    return {state.input: state.output for state in context.states}


def named():
    nodes = [helper.make_node("Relu", [old], [new]) for old, new in zip(KEPT, MADE, strict=True)]
    return make_model(nodes, {name: [1, 4] for name in KEPT}, MADE)


def test_usual_names_are_found_only_when_asked_for():
    assert states(named(), {}) == {}
    assert states(named(), "auto") == dict(list(zip(KEPT, MADE, strict=True))[:3])


def test_one_output_may_be_the_value_of_two_states():
    assert states(named(), {"other": "others", "past_less": "others"}) == {"other": "others", "past_less": "others"}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"t": "y"}, "there is no input 't' for a state: the inputs are x, s"),
        ({"s": "z"}, "there is no output 'z' for a state: the outputs are y"),
        ("auto", "states='auto' finds no input past... with an output present..."),
    ],
)
def test_unknown_names_are_refused(asked, message):
    with pytest.raises(CompileError, match=message):
        states(accumulator(), asked)


def test_shapes_and_types_must_agree():
    wide = make_model([helper.make_node("Concat", ["x", "s"], ["y"], axis=1)], {"x": [1, 4], "s": [1, 4]})
    with pytest.raises(CompileError, match=r"'s' is float32\[1, 4\], but output 'y' is float32\[1, 8\]: both ends"):
        states(wide, {"s": "y"})
    cast = make_model([helper.make_node("Cast", ["s"], ["y"], to=TensorProto.FLOAT16)], {"s": [1, 4]})
    with pytest.raises(CompileError, match=r"'s' is float32\[1, 4\], but output 'y' is float16\[1, 4\]"):
        states(cast, {"s": "y"})


@pytest.mark.parametrize("given", ["past", 3, ["s"], {"s": 1}, {1: "y"}])
def test_states_are_a_dictionary(given):
    with pytest.raises(InputError, match="must be a dictionary of input and output"):
        checked(CompileOptions(states=given))

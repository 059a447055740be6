"""The operation `onnx.Recurrent`: what its verifier refuses of an edited text."""

import pytest
from recurrent_nets import full_lstm
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.recurrent import RecurrentOp
from compiler.frontend.importer import import_model
from compiler.session.context import make_context

ROLES = ("x", "x", "r", "bias", "initial_h", "initial_c", "peepholes", "lengths")


@pytest.fixture
def recurrent():
    module = import_model(full_lstm().model(0), make_context()).module
    (found,) = (op for op in module.walk() if isinstance(op, RecurrentOp))
    assert tuple(role.data for role in found.roles) == ROLES
    found.verify()
    return found


def renamed(**changes):
    return attr.strings(changes.get(role, role) for role in ROLES)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("cell", StringAttr("ltsm"), "cell = \"ltsm\" does not exist; did you mean 'lstm'?"),
        ("cell", StringAttr("gru"), "has x of shape [5, 2, 12], not [5, 2, 9]"),
        ("directions", attr.strings(["forward", "forward"]), 'directions must hold "forward", "reverse" or both'),
        ("directions", attr.strings([]), 'directions must hold "forward", "reverse" or both'),
        ("directions", attr.strings(["reverse"]), "takes an x per direction, r, and each of the others once at most"),
        ("roles", renamed(bias="bia"), "role = \"bia\" does not exist; did you mean 'bias'?"),
        ("roles", renamed(bias="r"), "takes an x per direction, r, and each of the others once at most"),
        ("roles", attr.strings(ROLES[:-1]), "must have one role for each operand and one name for each result"),
        ("roles", renamed(bias="hidden_bias"), "has hidden_bias, which a cell of lstm has not"),
        ("roles", renamed(bias="lengths", lengths="bias"), "computes in float32 only, with lengths in int32"),
        ("tensors", attr.strings(["y"]), "must have one role for each operand and one name for each result"),
        ("bodies", ArrayAttr([]), "bodies must hold 6 lists of steps, not 0"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(recurrent, name, value, sentence):
    recurrent.properties[name] = value
    with pytest.raises(VerifyException) as error:
        recurrent.verify()
    assert sentence in str(error.value)

"""The compiler context carries weights, options and warnings, also through xDSL's clones."""

import numpy as np

from compiler.basis.options import CompileOptions
from compiler.session.context import make_context
from emu.arch import Arch


def test_dialects_are_loaded():
    context = make_context(Arch(name="mine"), CompileOptions(cores=4))
    assert {"builtin", "func", "onnx"} <= {dialect.name for dialect in context.loaded_dialects}
    assert (context.arch.name, context.options.cores) == ("mine", 4)


def test_clone_shares_weights_and_warnings():
    context = make_context()
    clone = context.clone()
    context.weights.put("w", np.zeros(1))
    clone.warn("odd")
    clone.warn("odd")
    assert "w" in clone.weights
    assert context.warnings == ["odd"]
    assert {op.name for op in clone.loaded_ops} == {op.name for op in context.loaded_ops}

"""Every operation of every level has a meaning, and so has every function of bodies."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from compiler.dialects.activations import ACTIVATIONS
from compiler.dialects.indexed import IndexedDialect
from compiler.dialects.integer import IntegerDialect
from compiler.dialects.nest import NestDialect
from compiler.dialects.onnx import Onnx
from compiler.interpreter import interpret as interpreter
from compiler.interpreter import kernels, nests, scalars
from compiler.interpreter.world import Meaningless
from compiler.kernels.table import KERNELS
from compiler.nests.functions import COMBINES, SCALAR_FUNCTIONS


def test_operations_on_tensors() -> None:
    kinds = [kind for dialect in (Onnx, NestDialect, IndexedDialect, IntegerDialect) for kind in dialect.operations]
    assert [kind.name for kind in kinds if kind not in interpreter.TENSORS] == []


def test_kernels() -> None:
    assert {kind.name for kind in KERNELS} == set(kernels.KERNELS)


def test_functions() -> None:
    assert set(SCALAR_FUNCTIONS) - {"cast"} == set(scalars.FUNCTIONS)
    assert set(ACTIVATIONS) == set(scalars.ACTIVATIONS)
    assert set(COMBINES) == set(nests.COMBINES)


def test_what_has_no_meaning_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from compiler.dialects.attributes import tile_type
    from compiler.dialects.onnx import ConstantOp
    from emu.isa.dtypes import DType

    monkeypatch.setattr(interpreter, "TENSORS", {})
    op = ConstantOp.make([], tile_type((1,), DType.f32), key="w", node="weights", tensor="w")
    with pytest.raises(Meaningless, match=r"onnx\.Constant of node weights has no meaning at its level yet"):
        interpreter.refuse_unknown(ModuleOp([op]))
    assert Meaningless.exit_code == 2

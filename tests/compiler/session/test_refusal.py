"""Refusals inside of passes: one sentence with file and node, and never the module."""

import numpy as np
import onnx
import pytest
from onnx_models import one_node, random_array

import compiler
from compiler.passes import PASSES
from compiler.session.context import make_context
from compiler.session.refusal import Refusal, refusals
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError

IMAGE, ONES = (1, 3, 2, 2), np.ones(3, np.float32)
REFUSED = {
    "in the module": one_node("BatchNormalization", IMAGE, ONES, ONES, ONES, -ONES, name="attn"),
    "without a place": one_node(
        "ConvTranspose", IMAGE, random_array(3, 2, 1, 1), strides=[3, 3], pads=[1, 1, 1, 1], name="attn"
    ),
    "of no elements": one_node("GlobalAveragePool", (1, 3, 0, 4), name="attn"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_pass_refuses_in_one_sentence(tmp_path, name):
    path = tmp_path / "net.onnx"
    onnx.save(REFUSED[name], str(path))
    with pytest.raises(CompileError) as caught:
        compiler.compile(path, out=tmp_path / "out")
    error: BaseException | None = caught.value
    sentence = str(error)
    assert sentence.startswith(f"{path}: node ") and "attn" in sentence and "\n" not in sentence
    assert not (tmp_path / "out").exists()
    while error is not None:  # also what a traceback of it shows
        assert getattr(error, "__notes__", []) == []
        assert "builtin.module" not in str(error)
        error = error.__cause__ or error.__context__


def test_the_module_is_kept_for_debugging(tmp_path):
    with pytest.raises(Refusal) as caught:
        compiler.compile(REFUSED["in the module"], out=tmp_path / "out")
    assert '"onnx.BatchNormalization"' in caught.value.ir
    assert str(caught.value).startswith("model 'test': node 'attn' (BatchNormalization)")


def test_what_does_not_fit_on_the_chip_names_the_file(tmp_path):
    path = tmp_path / "net.onnx"
    onnx.save(one_node("Gemm", (1, 64), random_array(64, 64)), str(path))
    arch = Arch(name="one", cores=1, core=Core(crossbars=1), crossbar=Crossbar(8, 8))
    with pytest.raises(CompileError) as caught:
        compiler.compile(path, arch, out=tmp_path / "out")
    assert str(caught.value).startswith(f"{path}: the network needs 64 crossbars")


def test_a_bug_of_a_pass_stays_what_it_is(monkeypatch, tmp_path):
    """No file is to blame: the exception comes out as it was raised, without the module."""

    def broken(self, ctx, op):
        raise KeyError("lost")

    monkeypatch.setattr(PASSES["lower-onnx-to-spat"], "apply", broken)
    with pytest.raises(KeyError, match="lost"):
        compiler.compile(one_node("Relu", (1, 3)), out=tmp_path / "out")


def test_notes_of_any_exception_are_dropped():
    error = RuntimeError("x")
    error.add_note("the whole module")
    with pytest.raises(RuntimeError) as caught, refusals("net", make_context()):
        raise error
    assert getattr(caught.value, "__notes__", []) == []

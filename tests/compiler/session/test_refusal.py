"""Refusals inside of passes: one sentence with file and node, and never the module."""

import onnx
import pytest
from onnx import helper
from support.onnx_models import make_model, one_node, random_array

import compiler
from compiler.passes import PASSES
from compiler.session.context import make_context
from compiler.session.refusal import Refusal, refusals
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError

MATRIX = (1, 4, 4)
REFUSED = {
    "two values": make_model([helper.make_node("MatMul", ["a", "b"], ["y"], "attn")], {"a": MATRIX, "b": MATRIX}),
    "constant left": make_model(
        [helper.make_node("MatMul", ["w", "x"], ["y"], "attn")], {"x": (1, 4, 4)}, weights={"w": random_array(4, 4)}
    ),
    "stack": make_model(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "attn")],
        {"x": (1, 3, 4)},
        weights={"w": random_array(3, 4, 4)},
    ),
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
        compiler.compile(REFUSED["two values"], out=tmp_path / "out")
    assert '"onnx.MatMul"' in caught.value.ir
    assert str(caught.value).startswith("model 'test': node 'attn' (MatMul)")


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

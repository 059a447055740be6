"""Front ends stand in one table: another one is a row, and everything that asks for a source goes by it."""

import numpy as np
import pytest
from onnx_models import one_node

import compiler
from compiler import front_ends
from compiler.front_ends import FRONT_ENDS, front_end_of
from compiler.frontend.importer import import_model
from compiler.frontend.onnx_front_end import OnnxFrontEnd
from emu.errors import InputError
from emu.image.reader import open_image
from launch.golden.attach import AttachGolden
from launch.golden.golden_process import GoldenError

EVALUATORS = """
class Refused(Exception):
    pass


def negate(path, tensors, shapes):
    if path.read_text() != "relu 4":
        raise Refused("not this one")
    return "by hand", lambda feeds: [feeds["x"].clip(0) for _ in tensors]


SOURCES = {"onnxruntime": negate}
"""


class Words:
    """Files that say `relu N`."""

    def __init__(self, evaluators):
        self.evaluators = evaluators

    def recognises(self, source):
        return getattr(source, "suffix", "") == ".words"

    def read(self, source, context, shapes):
        return import_model(one_node("Relu", (1, int(source.read_text().split()[1]))), context, shapes)


def test_another_front_end_is_a_row(tmp_path, monkeypatch):
    (tmp_path / "evaluators.py").write_text(EVALUATORS)
    monkeypatch.setattr(front_ends, "FRONT_ENDS", (Words(tmp_path / "evaluators.py"), *FRONT_ENDS))
    model = tmp_path / "net.words"
    model.write_text("relu 4")
    golden = AttachGolden(model)
    compiler.compile(model, out=tmp_path / "out", finish=golden)
    image = open_image(tmp_path / "out")
    assert golden.computed == image.manifest.golden_source == "by hand"
    ((name, inputs),) = image.default_inputs().items()
    np.testing.assert_array_equal(next(iter(image.golden().values())), inputs.clip(0), name)
    model.write_text("relu 5")
    with pytest.raises(GoldenError, match="not this one"):
        compiler.compile(model, out=tmp_path / "out", finish=golden)
    monkeypatch.setattr(front_ends, "FRONT_ENDS", (Words(None),))
    with pytest.raises(GoldenError, match=r"nobody can compute golden values of .*net.words: give them in a file"):
        compiler.compile(model, out=tmp_path / "out", finish=golden)


def test_onnx_is_the_last_resort(tmp_path):
    assert isinstance(FRONT_ENDS[-1], OnnxFrontEnd)
    for source in (tmp_path / "any.thing", one_node("Relu", (1, 4))):
        assert front_end_of(source) is FRONT_ENDS[-1]
    with pytest.raises(InputError, match="5 is nothing that a front end reads: give a path, or an ONNX ModelProto"):
        front_end_of(5)

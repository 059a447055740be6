"""Values of the Python interface that cannot be: one sentence each."""

import pytest

import compiler
from compiler.basis.options import CompileOptions, checked_for
from emu.arch import Arch
from emu.errors import InputError


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cores": "9"}, "cores '9' is no number of cores"),
        ({"cores": True}, "cores True is no number of cores"),
        ({"shapes": "x=1,3"}, "must be a dictionary"),
        ({"shapes": {"x": "1,3"}}, "the shape '1,3' of 'x' must be a tuple of int"),
        ({"shapes": {"x": (1, 2.5)}}, "of 'x' must be a tuple of int"),
    ],
)
def test_impossible_values_are_named(tmp_path, options, words):
    with pytest.raises(InputError, match=words):
        compiler.compile(tmp_path / "none.onnx", out=tmp_path / "out", **options)


def test_the_default_is_64_cores():
    assert checked_for(Arch(), CompileOptions()).cores == 64

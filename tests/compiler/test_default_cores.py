"""How many cores a compilation may use when nobody says how many: one rule for every way to ask for it."""

from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx_nets import Net

import compiler
from compiler.basis.options import CompileOptions, checked_for
from compiler.request import make_request
from emu.arch import Arch, Core, Crossbar
from emu.arch.figures import Timing
from emu.arch.read import load_arch, preset_names
from emu.errors import CompileError
from emu.image.reader import open_image
from launch.backend import prepare
from launch.runs.validation import validate

WIDE = Arch(cores=80, core=Core(crossbars=1), crossbar=Crossbar(rows=8, cols=8))


def seventy_cores():
    """A product of as many crossbars of `WIDE`, none of which shares a core."""
    net = Net((1, 8))
    return net.model(net.add("MatMul", "x", net.constant(np.ones((8, 560), np.float32))))


def cores_for(arch, given=None):
    return checked_for(arch, CompileOptions(cores=given)).cores


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_with_times_is_used_as_a_whole_and_another_one_up_to_64_cores(name):
    arch = load_arch(name)
    assert cores_for(arch) == (arch.all_cores if arch.timing else min(64, arch.all_cores))
    assert cores_for(arch, 2) == 2


def test_what_that_is_for_chips_that_are_known():
    assert {name: cores_for(load_arch(name)) for name in ("default", "tiny", "small", "isaac", "puma")} == {
        **dict.fromkeys(("default", "tiny", "small"), 64),
        **{"isaac": 168, "puma": 1104},
    }
    assert cores_for(Arch(cores=5)) == 5


def test_every_way_to_compile_has_the_same_rule(tmp_path):
    model, file = seventy_cores(), tmp_path / "wide.onnx"
    onnx.save(model, file)
    timed = replace(WIDE, timing=Timing())
    assert make_request(file, timed).options.cores == 80
    compiler.compile(file, timed, out=tmp_path / "out")
    assert len(open_image(tmp_path / "out").cores) == 70
    for ask in (lambda: compiler.compile(file, WIDE, out=tmp_path / "no"), lambda: prepare(model, arch=WIDE)):
        with pytest.raises(CompileError, match=r"take 70 cores .* but cores is 64: use cores=70"):
            ask()
    with pytest.raises(CompileError, match="but cores is 64"):
        validate(file, arch=WIDE)

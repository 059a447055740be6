"""Texts that other compilers printed, offloaded by each recipe: they make what torch, ONNX and jax computed."""

import pytest
from printed_texts import FOLDER, NAMES, check, values_of

from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import RECIPES
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar
from launch.devices.device import device
from launch.offload.crossbars import DeviceCrossbars

SMALL = Arch(name="small", cores=2, core=Core(crossbars=4096), crossbar=Crossbar(16, 16))
WITHOUT = {"torch_dynamic"}  # whose sizes are open, so that a recipe may find nothing to offload


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", NAMES)
def test_printed_texts(name, recipe):
    inputs, outputs = values_of(name)
    path, context = FOLDER / f"{name}.mlir", OffloadContext(SMALL, 2)
    lowered = HostProgram.read(path, path.read_bytes(), context).lowered(RECIPES[recipe], context, "cim")
    assert lowered.sites or name in WITHOUT
    with device(SMALL, 2, backend="sequential", record=False) as chip:
        made = lowered.run(inputs, DeviceCrossbars(chip))
    for found, wanted in zip(made, outputs, strict=True):
        check(found, wanted)

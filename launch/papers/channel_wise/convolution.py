"""The convolution that is measured, on a chip with small crossbars, compiled in both schemes."""

from __future__ import annotations

import time
from collections.abc import Mapping

from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from compiler.compiling import compile_model
from compiler.request import CompileRequest, make_request
from emu.arch import Arch, Core, Crossbar
from emu.census.census import Census, census_of
from emu.errors import InputError, option
from emu.output.scratch import ScratchFolder
from launch.system.memory import rare_collections
from launch.timing.timed_image import read_programs
from launch.zoo.builder import NetBuilder

FILTERS, CHANNELS = 8, 4
CROSSBAR, PER_CORE = 3, 5  # rows and columns of a crossbar; crossbars of a core
CHIP = Arch(
    name="channel-wise",
    cores=64,
    core=Core(crossbars=PER_CORE, local_memory=64 << 20),
    crossbar=Crossbar(CROSSBAR, CROSSBAR),
)
OPTIONS = {"packing": "kernel", "placement": "pack"}  # a crossbar per kernel position, as few cores as possible
SCHEMES: Mapping[str, str] = {"channel": "channel-wise", "pixel": "pixel-wise"}  # --lowering: how it is called


def convolution(side: int, kernel: int) -> ModelProto:
    """8 filters of `kernel` x `kernel` on 4 channels of `side` x `side` pixels; no padding, stride or bias.

    Raises InputError for an image that is smaller than the kernel.
    """
    if side < kernel:
        raise InputError(f"{option('sizes', side)}: the kernel is {kernel} pixels wide, so give {kernel} or more")
    net, places = NetBuilder("convolution", 0, (1, CHANNELS, side, side)), side - kernel + 1
    made = net.conv("conv", net.input, FILTERS, kernel, bias=False)
    return net.finish(made, shape=(1, FILTERS, places, places))


@rare_collections()
def compiled(side: int, kernel: int, scheme: str) -> tuple[float, Census]:
    """Processor time (s) of compiling the convolution in one scheme, and its programs; raises CompileError."""
    with ScratchFolder("convolution") as folder:
        began = time.process_time()
        compile_model(_request(side, kernel, scheme), folder / "out")
        seconds = time.process_time() - began
        image, programs = read_programs(folder / "out")
        return seconds, census_of(programs, image.arch)


@rare_collections()
def lowered(side: int, kernel: int, scheme: str, stage: str) -> ModuleOp:
    """The module of one scheme at a stage of the compiler; raises CompileError."""
    return compile_model(_request(side, kernel, scheme, stage), None).module


def _request(side: int, kernel: int, scheme: str, stage: str | None = None) -> CompileRequest:
    return make_request(convolution(side, kernel), CHIP, lowering=scheme, until=stage, **OPTIONS)

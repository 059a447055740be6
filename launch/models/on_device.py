"""Runs a network with its products on a device, all else in the interpreter of the levels."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np

from compiler.interpreter.interpret import TENSORS, interpret
from compiler.interpreter.offloaded.matrices import DeviceMatrices
from compiler.interpreter.offloaded.meanings import offloaded_meanings
from compiler.interpreter.structure import inputs_of
from compiler.network_files import read_network
from emu.arch import Arch
from emu.errors import EmuError, InputError, option
from emu.image.manifest import TensorSpec
from launch.devices.device import Device
from launch.devices.device import device as powered_on
from launch.offload.crossbars import DeviceCrossbars


class OnDevice:
    """A network whose constant matrices stay on the device from call to call, as far as there is room.

    `device` is one that is powered on, or a chip, a preset or a file of one, which is powered on until `close`.
    """

    def __init__(self, folder: Path, *, device: Any = None) -> None:
        self._stack = ExitStack()
        if isinstance(device, str | Arch):
            device = self._stack.enter_context(powered_on(device))
        if not isinstance(device, Device):
            raise InputError(
                f"{option('device')} is what launch.device gives, or a chip, not {type(device).__name__}: power one on"
            )
        self.device = device
        self._module, self._context = read_network(folder, device.arch)
        self._inputs = {name: TensorSpec(name, form, dtype, ()) for name, form, dtype in inputs_of(self._module)}
        self._matrices = DeviceMatrices(DeviceCrossbars(device), device.arch.crossbar.rows, device.arch.columns)
        self._meanings = {**TENSORS, **offloaded_meanings(self._matrices)}

    def run(self, inputs: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """The outputs for one sample; raises InputError for inputs of another shape or type, and as devices do."""
        for name, spec in self._inputs.items():
            given = inputs[name]
            if given.shape != spec.shape or given.dtype != spec.dtype.numpy:
                raise InputError(
                    f"input {name!r} is {given.dtype} of {list(given.shape)}, and the network takes"
                    f" {spec.dtype.numpy.name} of {list(spec.shape)}"
                )
        return interpret(self._module, self._context.weights, inputs, meanings=self._meanings)

    def close(self) -> None:
        """Give back what it holds of the device; one of its own is powered off."""
        with suppress(EmuError):  # a device that is off, or has failed, holds nothing any more
            self._matrices.release()
        self._stack.close()

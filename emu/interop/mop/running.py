"""Runs lowered flows on a core, sample by sample; its traps are told as faults of the flow."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.core.trap import CoreTrap
from emu.errors import ProgramError
from emu.interop.mop.chip import ELEMENT_BYTES
from emu.interop.mop.elements import DIVIDES
from emu.interop.mop.flow import FlowTensor
from emu.interop.mop.lowering import LoweredFlow
from emu.interop.mop.products import CONVERTS


class FlowCore:
    """A core that runs a flow."""

    def __init__(self, flow: LoweredFlow) -> None:
        self._flow = flow
        self._core = Core(flow.program, flow.arch, flow.weights)
        self._samples = 0

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The outputs for `inputs`, both in logical shape; raises ProgramError for what data can be wrong about."""
        if not self._samples:
            self._core.begin("init", 0)
            self._finish()
        self._core.begin("main", self._samples)
        self._samples += 1
        for tensor in self._flow.header.inputs:
            self._put(tensor, inputs[tensor.name])
        self._finish()
        return {tensor.name: self._get(tensor) for tensor in self._flow.header.outputs}

    def _finish(self) -> None:
        """Run to the end of the section: a flow needs nothing from outside."""
        try:
            while self._core.advance() is not Progress.HALTED:
                pass
        except CoreTrap as trap:
            where = self._flow.where(trap.record.index, trap.record.counters)
            raise ProgramError(f"{where}: {self._sentence(trap)}") from None

    def _sentence(self, trap: CoreTrap) -> str:
        """What data are wrong about, in words of flows."""
        instruction, value = trap.record.instruction.partition(".")[0], trap.record.value
        numbers = self._flow.header.numbers
        if instruction == CONVERTS and numbers.inputs is not None and value is not None:
            given = int(np.array(value + numbers.inputs[0], np.int64).astype(numbers.element.numpy))
            return f"a word line is given {given}, which is no number of 8 bits"
        return "divides an integer by 0" if instruction == DIVIDES else trap.record.reason

    def _window(self, tensor: FlowTensor) -> np.ndarray:
        low = tensor.address * ELEMENT_BYTES
        window = self._core.memory.window(low, low + tensor.size * ELEMENT_BYTES)
        return np.frombuffer(window, self._flow.header.numbers.element.numpy)

    def _put(self, tensor: FlowTensor, array: np.ndarray) -> None:
        self._window(tensor)[...] = tensor.form.physical(array).reshape(-1)
        low = tensor.address * ELEMENT_BYTES
        self._core.memory.mark(low, low + tensor.size * ELEMENT_BYTES)

    def _get(self, tensor: FlowTensor) -> np.ndarray:
        """Read an output; raises ProgramError for a number that its type does not hold."""
        found = self._window(tensor)
        if not tensor.dtype.is_float and found.size:
            limits = np.iinfo(tensor.dtype.numpy)
            if found.min() < limits.min or found.max() > limits.max:
                raise ProgramError(f"output {tensor.name!r} holds numbers that are no {tensor.dtype.numpy}")
        return tensor.form.logical(found.reshape(tensor.form.sizes)).astype(tensor.dtype.numpy)

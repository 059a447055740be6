"""Tensors by name, in their logical layout: those that cores hold complete, and those of global memory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emu.debug.accesses import GLOBAL
from emu.debug.chip import SteppedChip
from emu.debug.conditions import MemoryRange
from emu.errors import InputError
from emu.image.layout import from_memory
from emu.image.manifest import Manifest, TensorSpec
from emu.noc.ports.port import PortFault
from emu.program.form import box_shape, box_slices
from emu.wording import nearest
from launch.golden.intermediate import KeptTensor, kept_tensors


class DebugTensors:
    """Reads tensors of the sample that is under way; a name is a tensor's, or that of the ONNX node that makes it."""

    def __init__(self, chip: SteppedChip, manifest: Manifest) -> None:
        self._chip, self._manifest = chip, manifest
        self.kept: Mapping[str, KeptTensor] = kept_tensors(
            {core: program.buffers for core, program in chip.programs.items()}
        )
        self.stored: dict[str, TensorSpec] = {spec.name: spec for spec in (*manifest.inputs, *manifest.outputs)}
        self.read_only = {spec.name: spec for spec in manifest.read_only}

    @property
    def names(self) -> list[str]:
        """The names of all tensors that can be read."""
        return list(dict.fromkeys((*self.stored, *self.kept, *self.read_only)))

    def resolve(self, name: str) -> str:
        """The tensor of that name, or that the node of that name makes; raises InputError saying why there is none."""
        known = self.names
        if name in known:
            return name
        origins = [origin for origin in self._manifest.tensors if name in (origin.node, origin.tensor)]
        made = [origin.tensor for origin in origins if origin.tensor in known]
        if made:
            return made[0]
        why = next((origin.absent for origin in origins if origin.absent), "")
        if origins:
            raise InputError(
                f"tensor {origins[0].tensor!r} stands complete in no memory: {why or 'no core holds it whole'}"
            )
        nodes = [origin.node for origin in self._manifest.tensors]
        raise InputError(f"there is no tensor or node {name!r}{nearest(name, [*known, *nodes])}: see `info tensors`")

    def value(self, name: str) -> np.ndarray:
        """The tensor of this sample, as it was when it became complete; raises InputError if it is not yet."""
        name = self.resolve(name)
        kept = self.kept.get(name)
        if kept is not None and all(key in self._chip.captures for key, _ in kept.tiles):
            return kept.assemble(self._chip.captures)
        if name in self.stored:
            return self._stored(self.stored[name])
        if kept is not None:
            raise InputError(self._incomplete(kept))
        return self._fixed(name)

    def now(self, name: str) -> np.ndarray:
        """What stands at the places of a tensor now, be it complete, not yet, or overwritten by others already."""
        name = self.resolve(name)
        kept = self.kept.get(name)
        if kept is None:
            return self._stored(self.stored[name]) if name in self.stored else self._fixed(name)
        whole = np.zeros(kept.form.sizes, kept.dtype)
        for (core, _), buffer in kept.tiles:
            memory = self._chip.cores[core].memory
            tile = np.frombuffer(bytes(memory.window(buffer.address, buffer.address + buffer.nbytes)), kept.dtype)
            whole[box_slices(buffer.box)] = tile.reshape(box_shape(buffer.box))
        return kept.form.logical(whole)

    def spans(self, name: str) -> tuple[MemoryRange, ...]:
        """The bytes that hold a tensor, on all cores and in global memory."""
        name = self.resolve(name)
        found: list[MemoryRange] = []
        for core, program in self._chip.programs.items():
            found += [MemoryRange(core, b.address, b.address + b.nbytes) for b in program.buffers if b.tensor == name]
        if name in self.stored:
            found += [MemoryRange(GLOBAL, low, high) for low, high in self.stored[name].ranges]
        if name in self.read_only:
            found.append(MemoryRange(GLOBAL, self.read_only[name].address, self.read_only[name].end))
        return tuple(found)

    def state(self, name: str) -> str:
        """Whether a tensor can be read now, in a few words."""
        kept = self.kept.get(name)
        if kept is not None:
            done = sum(key in self._chip.captures for key, _ in kept.tiles)
            return "complete" if done == len(kept.tiles) else f"{done} of {len(kept.tiles)} tiles complete"
        if name in self.read_only:
            return "read-only"
        memory = self._chip.memory
        if memory is None:
            return "no sample is under way"
        missing = memory.unwritten([(low, high - low) for low, high in self.stored[name].ranges])
        return f"{sum(size for _, size in missing)} bytes not stored yet" if missing else "stored"

    def _incomplete(self, kept: KeptTensor) -> str:
        (core, _), buffer = next((key, spec) for key, spec in kept.tiles if key not in self._chip.captures)
        section, index, _, _ = self._chip.cores[core].position()
        return (
            f"tensor {kept.name!r} is not complete yet: core {core} has its part before main[{buffer.complete}] and "
            f'stands at {section}[{index}]; now("{kept.name}") is what stands there now'
        )

    def _stored(self, spec: TensorSpec) -> np.ndarray:
        memory = self._chip.memory
        if memory is None:
            raise InputError(f"tensor {spec.name!r} is not there yet: no sample is under way")
        try:
            return from_memory(spec, memory.view)
        except PortFault:
            raise InputError(f"tensor {spec.name!r} is not stored yet: {self.state(spec.name)}") from None

    def _fixed(self, name: str) -> np.ndarray:
        spec = self.read_only[name]
        memory = self._chip.memory
        if memory is None:
            raise InputError(f"read-only tensor {name!r} can be read once a sample is under way")
        return np.frombuffer(bytes(memory.view(spec.address, spec.nbytes)), spec.dtype.numpy).reshape(spec.shape)

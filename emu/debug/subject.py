"""What is debugged: the programs of a chip, what its crossbars and its global memory hold, and the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from emu.arch import Arch
from emu.image.layout import from_memory, to_tiles
from emu.image.manifest import Manifest, TensorSpec
from emu.image.reader import Image
from emu.noc.memory.read_only import NOTHING, ReadOnlyMemory
from emu.program.program import Program

Bytes = tuple[int, memoryview | bytes]  # a global address, and what stands there


@dataclass(frozen=True)
class DebugSubject:
    """Programs and weights ([rows, padded columns] per group) by core.

    `outputs` are the tensors that every sample leaves in global memory; `inputs` gives what stands there when a sample
    begins, from its number and what the tiles of the outputs were in the sample before (none before the first one).
    """

    arch: Arch
    programs: Mapping[int, Program]
    weights: Mapping[int, Sequence[np.ndarray]]
    global_size: int
    samples: int = 1
    inputs: Callable[[int, Sequence[bytes]], Sequence[Bytes]] = lambda sample, before: ()
    outputs: tuple[TensorSpec, ...] = ()
    read_only: ReadOnlyMemory = NOTHING


def subject_of(
    image: Image,
    inputs: Mapping[str, np.ndarray],
    samples: int,
    initial: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> DebugSubject:
    """The programs of an image, with `inputs` (samples,) + logical shape each; raises InputError, ProgramError.

    Inputs that are states are in `initial` instead, with their first values: then every sample goes on with what the
    one before has made of them.
    """
    manifest = image.manifest

    def bytes_of(sample: int, before: Sequence[bytes]) -> list[Bytes]:
        given = {name: np.asarray(array[sample]) for name, array in inputs.items()}
        given |= _states(manifest, before) if before and initial else initial
        tiles = [tile for spec in manifest.inputs for tile in to_tiles(spec, given[spec.name])]
        return [(address, array.reshape(-1).view(np.uint8).data) for address, array in tiles]

    programs = {core: image.program(core) for core in image.cores}
    weights = {core: image.weights(core) for core in image.cores}
    shared = ReadOnlyMemory(image.read_only())
    return DebugSubject(
        image.arch, programs, weights, manifest.global_size, samples, bytes_of, manifest.outputs, shared
    )


def _states(manifest: Manifest, blocks: Sequence[bytes]) -> dict[str, np.ndarray]:
    """By input, the states that a sample has made, of whose outputs `blocks` are the tiles."""
    ranges = [(low, high - low) for spec in manifest.outputs for low, high in spec.ranges]
    content = dict(zip(ranges, blocks, strict=True))
    outputs = {spec.name: from_memory(spec, lambda *where: content[where]) for spec in manifest.outputs}
    return {state.input: outputs[state.output] for state in manifest.states}

"""What is debugged: the programs of a chip, what its crossbars and its global memory hold, and the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from emu.arch import Arch
from emu.image.layout import to_tiles
from emu.image.manifest import TensorSpec
from emu.image.reader import Image
from emu.noc.memory.read_only import NOTHING, ReadOnlyMemory
from emu.program.program import Program

Bytes = tuple[int, memoryview | bytes]  # a global address, and what stands there


@dataclass(frozen=True)
class Subject:
    """Programs and weights ([rows, padded columns] per group) by core; what `inputs` puts into global memory.

    `outputs` are the tensors that every sample leaves in global memory.
    """

    arch: Arch
    programs: Mapping[int, Program]
    weights: Mapping[int, Sequence[np.ndarray]]
    global_size: int
    samples: int = 1
    inputs: Callable[[int], Sequence[Bytes]] = lambda sample: ()
    outputs: tuple[TensorSpec, ...] = ()
    read_only: ReadOnlyMemory = NOTHING


def subject_of(image: Image, inputs: Mapping[str, np.ndarray], samples: int) -> Subject:
    """The programs of an image, with `inputs` (samples,) + logical shape each; raises InputError, ProgramError."""
    manifest = image.manifest

    def bytes_of(sample: int) -> list[Bytes]:
        tiles = [tile for spec in manifest.inputs for tile in to_tiles(spec, np.asarray(inputs[spec.name][sample]))]
        return [(address, array.reshape(-1).view(np.uint8).data) for address, array in tiles]

    programs = {core: image.program(core) for core in image.cores}
    weights = {core: image.weights(core) for core in image.cores}
    shared = ReadOnlyMemory(image.read_only())
    return Subject(image.arch, programs, weights, manifest.global_size, samples, bytes_of, manifest.outputs, shared)

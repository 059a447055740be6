"""A session as an image: branch-free programs that do what was called, from inputs to the results that came.

Each core has a program of ordinary instructions: `ld`, `xbwrite`, `mvmul` in a loop over vectors, `st`. What a program
knew to be over before it called another core is ordered by `sync` and `wait`, so the simulated time of the programs is
that of the session, but for the time of the host, which has none, and for writes where a core has several operations
in flight: its `sync` goes out when what it has stored is there, and does not stay for a crossbar that is being written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from emu.arch import Arch
from emu.errors import InputError
from emu.image.manifest import CoreFiles, Manifest, ModelInfo, TensorSpec, TensorTile
from emu.image.npz import write_npz
from emu.image.writer import ImageWriter
from emu.isa.dtypes import DType
from emu.program.form import Form
from emu.program.program import Program
from launch.devices.core_recording import GIVEN, MADE, CoreRecording, Piece, length_of
from launch.devices.journal import Entry, Journal

ALIGNMENT = 64  # bytes: tensors in global memory begin at a multiple of it
SOURCE = "the recorded session"  # of golden values
INPUTS, GOLDEN = "inputs.npz", "golden.npz"


@dataclass(frozen=True, eq=False)
class DeviceRecording:
    """Programs by core, the manifest of their image, and the entries by core that tensors are made of."""

    programs: dict[int, Program]
    manifest: Manifest
    pieces: dict[str, list[Piece]]  # by tensor, in order

    def arrays(self, specs: Sequence[TensorSpec]) -> dict[str, np.ndarray]:
        """The values of tensors, [1, elements] each."""
        return {spec.name: np.concatenate([piece.value() for piece in self.pieces[spec.name]])[None] for spec in specs}


def make_recording(arch: Arch, journal: Journal) -> DeviceRecording:
    """The programs of all that was called; raises InputError if a vector does not fit into a core's memory."""
    entries: dict[int, list[Entry]] = defaultdict(list)
    awaited: dict[tuple[int, int], list[int]] = defaultdict(list)
    for entry in journal.entries:
        entries[entry.core].append(entry)
        for core, place in entry.waited.items():
            awaited[core, place].append(entry.core)
    pieces, inputs, outputs = dict[str, list[Piece]](), list[TensorSpec](), list[TensorSpec]()
    cores = {core: CoreRecording(core, arch, journal.groups[core]) for core in sorted(entries)}
    end = 0
    for core, recording in cores.items():
        for entry in entries[core]:
            recording.add(entry)
        for specs, made, by_type in ((inputs, GIVEN, recording.given), (outputs, MADE, recording.made)):
            for dtype, parts in by_type.items():
                spec = _tensor(f"core{core}_{made}{dtype.name}", dtype, sum(map(length_of, parts)), end)
                end = -(-(end + spec.nbytes) // ALIGNMENT) * ALIGNMENT
                specs.append(spec)
                pieces[spec.name] = parts
                recording.bases[made, dtype] = spec.tiles[0].address
    programs = {core: recording.program(awaited) for core, recording in cores.items()}
    if end > arch.global_memory.size:
        raise InputError(
            f"the session moved {end} bytes, and the global memory of {arch.name} holds {arch.global_memory.size}:"
            " record a shorter one"
        )
    files = tuple(CoreFiles(core, f"core_{core:04d}.prog") for core in programs)
    manifest = Manifest(arch, files, tuple(inputs), tuple(outputs), end, ModelInfo("device session"))
    return DeviceRecording(programs, manifest, pieces)


def write_recording(out: Path, recording: DeviceRecording) -> None:
    """Write the image of a session of which all calls are done; raises InputError."""
    manifest = recording.manifest
    with ImageWriter(out) as writer:
        for program in recording.programs.values():
            writer.add_core(program, ())
        for name, specs in ((INPUTS, manifest.inputs), (GOLDEN, manifest.outputs)):
            with writer.add_file(name) as file:
                write_npz(file, recording.arrays(specs))
        writer.finish(replace(manifest, default_input=INPUTS, golden=GOLDEN, golden_source=SOURCE))


def _tensor(name: str, dtype: DType, length: int, address: int) -> TensorSpec:
    form = Form((length,), (length, 1, 1), ("C",))
    return TensorSpec(name, form, dtype, (TensorTile(form.whole, address),))

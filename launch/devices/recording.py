"""A session as an image: branch-free programs that do what was called, from inputs to the results that came.

Each core has a program of ordinary instructions: `ld`, `xbwrite`, `mvmul` in a loop over vectors, `st`. What a program
knew to be over before it called another core is ordered by `sync` and `wait`, so the simulated time of the programs is
that of the session, but for the time of the host, which has none, and for writes where a core has several operations
in flight: its `sync` goes out when what it has stored is there, and does not stay for a crossbar that is being written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import numpy as np

from emu.arch import Arch
from emu.errors import InputError
from emu.image.manifest import CoreFiles, Manifest, ModelInfo, TensorSpec, TensorTile
from emu.image.npz import write_npz
from emu.image.writer import ImageWriter
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.form import Form
from emu.program.group import GroupSpec
from emu.program.program import Program, Source
from launch.devices.journal import Journal, JournalEntry

GIVEN, MADE = "", "results_"  # inputs and outputs, as names of tensors tell them apart


@dataclass(frozen=True, slots=True)
class TensorPiece:
    """A part of a tensor: an argument of a call or, with -1, what it returned, of this shape."""

    entry: JournalEntry
    argument: int
    shape: tuple[int, ...]

    def value(self) -> np.ndarray:
        """The elements of the part, in order."""
        call = self.entry.call
        assert call is not None
        return np.asarray(call.value if self.argument < 0 else call.given[self.argument]).reshape(-1)


def length_of(piece: TensorPiece) -> int:
    """The number of elements of a piece."""
    return prod(piece.shape)


class CoreRecording:
    """Entries are added in order; when it is known where tensors stand (`bases`), the program can be made."""

    def __init__(self, core: int, arch: Arch, groups: Sequence[GroupSpec]) -> None:
        self._core, self._arch, self._groups = core, arch, groups
        self._entries: list[
            tuple[JournalEntry, list[tuple[str, DType, int]]]
        ] = []  # with the places of its data in tensors
        self.given: dict[DType, list[TensorPiece]] = defaultdict(list)
        self.made: dict[DType, list[TensorPiece]] = defaultdict(list)
        self.bases: dict[tuple[str, DType], int] = {}
        self._ends: dict[tuple[str, DType], int] = defaultdict(int)

    def add(self, entry: JournalEntry) -> None:
        """Take the next entry of the core."""
        spec = self._groups[entry.group]
        if entry.writes:
            places = [self._piece(entry, 1, GIVEN, spec.weight, spec.cols)]
        else:
            places = [self._piece(entry, 0, GIVEN, spec.input, spec.rows)]
            if entry.accumulates:
                places.append(self._piece(entry, 1, GIVEN, spec.output, spec.cols))
            places.append(self._piece(entry, -1, MADE, spec.output, spec.cols))
        self._entries.append((entry, places))

    def _piece(self, entry: JournalEntry, argument: int, role: str, dtype: DType, width: int) -> tuple[str, DType, int]:
        piece = TensorPiece(entry, argument, (entry.rows, width))
        (self.made if role else self.given)[dtype].append(piece)
        begin = self._ends[role, dtype]
        self._ends[role, dtype] = begin + length_of(piece)
        return role, dtype, begin

    def program(self, awaited: Mapping[tuple[int, int], Sequence[int]]) -> Program:
        """The program; `awaited` are the cores that wait for an entry, by core and its place there."""
        main, events = SectionBuilder(), self._arch.core.events
        for entry, places in self._entries:
            main.source = 2 * entry.group + (not entry.writes)
            for other in entry.waited:
                main.emit("wait", event=other % events, value=1)
            at = [self.bases[role, dtype] + begin * dtype.size for role, dtype, begin in places]
            if entry.writes:
                self._write(main, entry, *at)
            else:
                self._multiply(main, entry, at)
            for other in awaited.get((self._core, entry.place), ()):
                main.emit("sync", core=other, event=self._core % events)
        main.source = -1
        main.emit("halt")
        sources = [
            Source(f"group {group} of core {self._core}", part)
            for group in range(len(self._groups))
            for part in ("write", "product")
        ]
        return Program(self._core, tuple(self._groups), main=main.finish(), sources=tuple(sources))

    def _write(self, main: SectionBuilder, entry: JournalEntry, source: int) -> None:
        spec = self._groups[entry.group]
        size = spec.cols * spec.weight.size
        for first, rows in self._chunks(entry.rows, size):
            main.emit("ld", operands=(Address(0), Address(source + first * size)), size=rows * size)
            main.emit("xbwrite", (spec.weight,), (Address(0),), group=entry.group, row=entry.row + first, rows=rows)

    def _multiply(self, main: SectionBuilder, entry: JournalEntry, at: Sequence[int]) -> None:
        spec = self._groups[entry.group]
        taken, made = spec.rows * spec.input.size, spec.cols * spec.output.size
        for first, rows in self._chunks(entry.rows, taken + made):
            results = rows * taken
            main.emit("ld", operands=(Address(0), Address(at[0] + first * taken)), size=rows * taken)
            if entry.accumulates:
                main.emit("ld", operands=(Address(results), Address(at[1] + first * made)), size=rows * made)
            with main.loop(rows) as vector:
                main.emit(
                    "mvmul",
                    (spec.input, spec.output),
                    (Address(results, (Term(vector, made),)), Address(0, (Term(vector, taken),))),
                    ("acc",) if entry.accumulates else (),
                    group=entry.group,
                )
            main.emit("st", operands=(Address(at[-1] + first * made), Address(results)), size=rows * made)

    def _chunks(self, rows: int, size: int) -> list[tuple[int, int]]:
        """Runs of `rows` of which each takes `size` bytes of local memory, as many at a time as fit."""
        most = self._arch.core.local_memory // size
        if not most:
            raise InputError(
                f"a vector and its result take {size} bytes, and the local memory of a core of {self._arch.name} has"
                f" {self._arch.core.local_memory}: the session cannot be recorded for it"
            )
        return [(first, min(most, rows - first)) for first in range(0, rows, most)]


ALIGNMENT = 64  # bytes: tensors in global memory begin at a multiple of it
SOURCE = "the recorded session"  # of golden values
INPUTS, GOLDEN = "inputs.npz", "golden.npz"


@dataclass(frozen=True, eq=False)
class DeviceRecording:
    """Programs by core, the manifest of their image, and the entries by core that tensors are made of."""

    programs: dict[int, Program]
    manifest: Manifest
    pieces: dict[str, list[TensorPiece]]  # by tensor, in order

    def arrays(self, specs: Sequence[TensorSpec]) -> dict[str, np.ndarray]:
        """The values of tensors, [1, elements] each."""
        return {spec.name: np.concatenate([piece.value() for piece in self.pieces[spec.name]])[None] for spec in specs}


def make_recording(arch: Arch, journal: Journal) -> DeviceRecording:
    """The programs of all that was called; raises InputError if a vector does not fit into a core's memory."""
    entries: dict[int, list[JournalEntry]] = defaultdict(list)
    awaited: dict[tuple[int, int], list[int]] = defaultdict(list)
    for entry in journal.entries:
        entries[entry.core].append(entry)
        for core, place in entry.waited.items():
            awaited[core, place].append(entry.core)
    pieces, inputs, outputs = dict[str, list[TensorPiece]](), list[TensorSpec](), list[TensorSpec]()
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

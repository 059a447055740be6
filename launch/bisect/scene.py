"""All that a search looks at: image, network, the recorded sample, golden values, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from emu.asm.section_printer import print_instruction
from emu.image.cell_table import cells_of
from emu.image.cells import Cells
from emu.image.reader import Image
from emu.program.form import Box, Form, box_slices
from emu.program.program import BufferSpec, Program
from launch.bisect.finding import Site
from launch.bisect.known import Knowledge, KnownRows, KnownTensor
from launch.bisect.network import OnnxNetwork
from launch.bisect.recording import SampleRecording
from launch.bisect.replaying import CoreReplayer, Replay
from launch.bisect.statements import CoreStatements
from launch.golden.verdict import FLOAT_TOLERANCE, MORE

FINE = 0.25  # of the tolerance of outputs: an early small difference may become a large one


@dataclass(eq=False)
class Scene:
    """One failing sample. `golden` are tensors of it by name, in logical shape; `perturbed` the same a little off."""

    image: Image
    network: OnnxNetwork
    recording: SampleRecording
    golden: Mapping[str, np.ndarray]
    perturbed: Sequence[Mapping[str, np.ndarray]]
    inputs: Mapping[str, np.ndarray]
    tolerance: float | None
    engine: str
    _statements: dict[int, CoreStatements] = field(default_factory=dict)
    _replays: dict[int, Replay] = field(default_factory=dict)
    _rooms: dict[str, float] = field(default_factory=dict)
    _cells: dict[int, list[Cells]] = field(default_factory=dict)

    @cached_property
    def programs(self) -> dict[int, Program]:
        """All programs, by core."""
        return {core: self.image.program(core) for core in self.image.cores}

    @cached_property
    def buffers(self) -> dict[str, list[tuple[int, int, BufferSpec]]]:
        """By tensor: core, index and description of the buffers that hold its tiles."""
        found: dict[str, list[tuple[int, int, BufferSpec]]] = {}
        for core, program in self.programs.items():
            for index, buffer in enumerate(program.buffers):
                found.setdefault(buffer.tensor, []).append((core, index, buffer))
        return found

    def statements(self, core: int) -> CoreStatements:
        """The program of a core as statements."""
        if core not in self._statements:
            self._statements[core] = CoreStatements(self.programs[core], self.image.arch)
        return self._statements[core]

    def replay(self, core: int) -> Replay:
        """A core run again, alone."""
        if core not in self._replays:
            self._replays[core] = CoreReplayer(self.image, self.statements(core), self.recording, self.engine).replay()
        return self._replays[core]

    def cells(self, core: int) -> list[Cells]:
        """What the image says that each array group of a core holds; none if it does not say it."""
        if core not in self._cells:
            table, groups = self.image.manifest.crossbars, self.programs[core].groups
            self._cells[core] = [] if table is None else cells_of(table, core, groups, str(self.image.path))
        return self._cells[core]

    def room(self, name: str) -> float:
        """How far an element of a tensor may be off."""
        if name not in self._rooms:
            self._rooms[name] = self._room(name)
        return self._rooms[name]

    def _room(self, name: str) -> float:
        values = self.golden[name] if name in self.golden else self.inputs[name]
        spread = [
            np.abs(each[name].astype(np.float64) - values).max(initial=0) for each in self.perturbed if name in each
        ]
        uncertain = MORE * float(np.nan_to_num(max(spread, default=0.0)))
        if values.dtype.kind != "f":
            return uncertain
        finite = np.abs(values[np.isfinite(values)]).max(initial=0)
        return max(self.share(values.dtype) * float(finite), float(np.finfo(values.dtype).tiny), uncertain)

    def share(self, dtype: np.dtype) -> float:
        """How far floats may be off, as a share of the largest of their tensor."""
        return FINE * (FLOAT_TOLERANCE[dtype.itemsize] if self.tolerance is None else self.tolerance)

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is right: golden tensors and inputs, whole and in the boxes in which cores hold them."""
        forms: dict[tuple[int, ...], dict[tuple[Form, Box], None]] = {}
        for held in self.buffers.values():
            for _, _, buffer in held:
                forms.setdefault(buffer.form.shape, {})[buffer.form, buffer.box] = None
        known = Knowledge()
        for spec in self.image.manifest.inputs:
            boxes = {(spec.form, tile.box): None for tile in spec.tiles}
            forms.setdefault(spec.form.shape, {}).update(boxes)
        for name, values in {**self.inputs, **self.golden}.items():
            room, uncertain = self.room(name), bool(self.perturbed)
            parts = [(form, box, form.physical(values)[box_slices(box)]) for form, box in forms.get(values.shape, ())]
            known.add([KnownTensor(name, values, room, uncertain)])
            known.add(KnownTensor(name, part, room, uncertain, box) for form, box, part in parts if box != form.whole)
            if self.streams and not uncertain and values.ndim >= 3 and values.shape[0] == 1 and values.size:
                known.add_rows(KnownRows(name, part, room) for part in self._channel_tiles(values))
        return known

    @cached_property
    def clipped(self) -> list[KnownRows]:
        """The rows of tiles that cores hold, of which a message may carry some; none where rounding is uncertain."""
        found: dict[tuple[str, Form, Box], KnownRows] = {}
        for name, held in self.buffers.items() if not self.perturbed else ():
            for _, _, buffer in held if name in self.golden else ():
                key, values = (name, buffer.form, buffer.box), self.golden[name]
                if key not in found and buffer.form.shape == values.shape and values.size:
                    part = buffer.form.physical(values)[box_slices(buffer.box)]
                    found[key] = KnownRows(name, part.reshape(len(part), -1), self.room(name))
        return list(found.values())

    @property
    def streams(self) -> bool:
        """Whether tensors pass through the cores some rows at a time."""
        return self.image.manifest.options.get("granularity", "image") != "image"

    def _channel_tiles(self, values: np.ndarray) -> Iterator[np.ndarray]:
        """Rows [height, width * channels] of a tensor [1, channels, height, ...], whole and in tiles of channels."""
        turned = np.moveaxis(values[0], 0, -1)
        groups = (group for program in self.programs.values() for group in program.groups)
        yield np.ascontiguousarray(turned).reshape(len(turned), -1)
        for tile in sorted({self.image.arch.columns(group.weight) for group in groups}):
            for first in range(0, turned.shape[-1], tile) if turned.shape[-1] > tile else ():
                yield np.ascontiguousarray(turned[..., first : first + tile]).reshape(len(turned), -1)

    def places(self, name: str) -> np.ndarray | None:
        """The elements of a tensor, in logical order, in the order of memory, tile after tile; None if unknown."""
        held = self._held(name)
        if not held:
            return None
        form, boxes = held[0].form, {buffer.box[::-1]: buffer.box for buffer in held}
        numbers = form.physical(np.arange(int(np.prod(form.shape))).reshape(form.shape))
        return np.concatenate([numbers[box_slices(boxes[key])].reshape(-1) for key in sorted(boxes)])

    def cuts(self, name: str) -> list[tuple[int, int]]:
        """The ranges of channels of the tiles of a tensor, ascending; none if it is not cut."""
        return sorted({buffer.box[-1] for buffer in self._held(name)})

    def _held(self, name: str) -> list[BufferSpec]:
        """The buffers of a tensor, or of the one whose data it shows."""
        held = self.buffers.get(self.network.shown(name)) or self.buffers.get(name) or []
        return [buffer for _, _, buffer in held]

    def node_of(self, core: int, index: int) -> str:
        """The ONNX node of an instruction of `main`."""
        statements = self.statements(core)
        own = statements.node(index) or statements.at(index).node
        return self.network.owner(own) if own else ""

    def site(self, core: int, index: int, counters: tuple[int, ...] = (), what: str = "") -> Site:
        """An instruction of `main` as a place."""
        text = print_instruction(self.programs[core].main.decode(index))
        return Site(core, self.node_of(core, index), "main", index, text, counters, what)

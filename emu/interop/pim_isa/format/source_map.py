"""Which network an exported program is of: its nodes and tensors, and where and when cores hold these, in a file.

Beside a program that names it in its `Extension`; kept in an image that was imported, for an export of that.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from emu.errors import ProgramError
from emu.files import read_text, shown
from emu.image.json_fields import Field, hex_or_empty, parse_json
from emu.image.manifest import ModelInfo, TensorOrigin, TensorSpec, TensorTile
from emu.image.manifest_json import origin_from_json, origin_record, spec_from_json, tensor_record
from emu.program.program import BufferSpec, Source

FILE = "source_map.json"
_MOST = 1 << 28  # bytes
_COUNT = 1 << 40  # instructions


@dataclass(frozen=True, slots=True)
class CoreMap:
    """Of one core: its buffers, and from which instruction on it does what; places are those of the exported program.

    A buffer is complete before the instruction `complete` runs.
    """

    buffers: tuple[BufferSpec, ...] = ()
    sources: tuple[tuple[int, Source], ...] = ()  # ascending

    def source(self, instruction: int) -> Source:
        """Where an instruction comes from."""
        place = bisect_right(self.sources, instruction, key=lambda entry: entry[0])
        return self.sources[place - 1][1] if place else Source("")


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The network, as the manifest of a compiled image has it, and its cores."""

    model: ModelInfo = field(default_factory=ModelInfo)
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    tensors: tuple[TensorOrigin, ...] = ()
    cores: Mapping[int, CoreMap] = field(default_factory=dict[int, CoreMap])

    def core(self, core: int) -> CoreMap:
        """That of one core."""
        return self.cores.get(core, CoreMap())

    def encode(self) -> bytes:
        """The file."""
        record = {
            "model": {"name": self.model.name, "sha256": self.model.sha256},
            "options": dict(self.options),
            "tensors": [origin_record(origin) for origin in self.tensors],
            "cores": {str(core): _core_record(each) for core, each in self.cores.items()},
        }
        return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def read_source_map(path: Path) -> SourceMap:
    """The file that `SourceMap.encode` made; raises ProgramError naming the key."""
    root = parse_json(read_text(path, _MOST, ProgramError), shown(path))
    fields = root.object(("model", "options", "tensors", "cores"))
    model = fields["model"].object(("name", "sha256"))
    return SourceMap(
        ModelInfo(model["name"].text(), hex_or_empty(model["sha256"])),
        {key: each.text() for key, each in fields["options"].mapping().items()},
        tuple(map(origin_from_json, fields["tensors"].items())),
        {_number(key, each): _core(each) for key, each in fields["cores"].mapping().items()},
    )


def _number(key: str, at: Field) -> int:
    if not key.isdecimal() or len(key) > 9:
        at.refuse("expected the number of a core")
    return int(key)


def _core_record(core: CoreMap) -> dict[str, Any]:
    sources = [[first, source.node, source.part] for first, source in core.sources]
    return {"buffers": [_buffer_record(buffer) for buffer in core.buffers], "sources": sources}


def _core(field: Field) -> CoreMap:
    fields = field.object(("buffers", "sources"))
    sources = tuple(map(_source, fields["sources"].items()))
    if any(a >= b for (a, _), (b, _) in pairwise(sources)):
        fields["sources"].refuse("the instructions do not ascend")
    return CoreMap(tuple(map(_buffer, fields["buffers"].items())), sources)


def _source(field: Field) -> tuple[int, Source]:
    first, node, part = field.exactly(3)
    return first.integer(0, _COUNT), Source(node.text(), part.text())


def _buffer_record(buffer: BufferSpec) -> dict[str, Any]:
    spec = TensorSpec(buffer.tensor, buffer.form, buffer.dtype, (TensorTile(buffer.box, buffer.address),))
    return {"tensor": tensor_record(spec), "complete": buffer.complete}


def _buffer(field: Field) -> BufferSpec:
    """What its form and box may be is checked with the program."""
    fields = field.object(("tensor", "complete"))
    spec = spec_from_json(fields["tensor"])
    if len(spec.tiles) != 1:
        fields["tensor"].refuse("expected one tile")
    (tile,) = spec.tiles
    return BufferSpec(spec.name, spec.form, tile.box, spec.dtype, tile.address, fields["complete"].integer(0, _COUNT))


def moved(buffers: tuple[BufferSpec, ...], places: Mapping[int, int]) -> tuple[BufferSpec, ...]:
    """The buffers in a program whose places are others: `places` tells the new one of each."""
    return tuple(replace(buffer, complete=places[buffer.complete]) for buffer in buffers)

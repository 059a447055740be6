"""The segments of a network with host nodes in its manifest, and what must hold of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from emu.image.json_fields import Field, file_name, hex_or_empty
from emu.image.manifest import Manifest, Segment, Work

SEGMENTS = "segments"  # the key of a manifest
_MOST = 1 << 62  # of any count


def segment_record(segment: Segment) -> dict[str, Any]:
    """Plain values for JSON."""
    return asdict(segment)


def segment_from_json(field: Field) -> Segment:
    """A segment; raises ProgramError naming the key that is wrong."""
    fields = field.object(("file", "sha256", "inputs", "outputs", "nodes", "work", "evaluator"))
    counts = fields["work"].object(("operators", "macs", "bytes"))
    return Segment(
        file_name(fields["file"]),
        hex_or_empty(fields["sha256"]) or fields["sha256"].refuse("expected a SHA-256, got nothing"),
        *(tuple(part.text(empty=False) for part in fields[key].items()) for key in ("inputs", "outputs", "nodes")),
        work=Work(**{name: count.integer(0, _MOST) for name, count in counts.items()}),
        evaluator=fields["evaluator"].text(),
    )


def segments_fault(manifest: Manifest) -> str:
    """Why the segments cannot be run in their order, as the end of a sentence; empty if they can."""
    if manifest.cores:
        return "a network that runs in segments has no cores of its own"
    known, files = {spec.name for spec in manifest.inputs}, set[str]()
    for segment in manifest.segments:
        if segment.on_host and segment.file not in manifest.files:
            return f"file {segment.file!r} has no digest under 'files'"
        if segment.file in files or (not segment.on_host and segment.file in manifest.files):
            return f"{segment.file!r} is named twice"
        if missing := [name for name in segment.inputs if name not in known]:
            return f"{segment.file!r} takes {missing[0]!r}, which no earlier segment makes"
        if again := [name for name in segment.outputs if name in known]:
            return f"{segment.file!r} makes {again[0]!r}, which is there before"
        known.update(segment.outputs)
        files.add(segment.file)
    if lost := [spec.name for spec in manifest.outputs if spec.name not in known]:
        return f"no segment makes output {lost[0]!r}"
    return ""

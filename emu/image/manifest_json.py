"""The manifest as JSON text and back, strictly: unknown keys, wrong types and contradictions are named."""

from __future__ import annotations

import json
from typing import Any

from emu.arch import Arch
from emu.arch.read import arch_from_dict
from emu.image.cell_table import CROSSBARS, cell_record, cells_from_json
from emu.image.json_fields import Field, file_name, hex_or_empty, is_file_name, parse_json
from emu.image.layout import layout_fault
from emu.image.manifest import (
    CoreFiles,
    FileDigest,
    Manifest,
    ModelInfo,
    ReadOnlySpec,
    StateSpec,
    TensorOrigin,
    TensorSpec,
    TensorTile,
)
from emu.image.read_only import MAX_RANK, read_only_fault
from emu.image.segment_json import SEGMENTS, segment_from_json, segment_record, segments_fault
from emu.image.states import state_fault
from emu.image.version import FORMAT, VERSION
from emu.isa.dtypes import DType
from emu.program.form import Form

MANIFEST_FILE = "manifest.json"
SPARE = "spare"
_KEYS = (
    *("format", "version", "arch", "model", "options", "global_size", "inputs", "outputs", "read_only", "states"),
    *("default_input", "golden", "golden_source", "tensors", "warnings", "cores", "files"),
)
_SIZE = 1 << 48  # bytes of any file, memory or tensor


def manifest_to_json(manifest: Manifest) -> str:
    """The text of `manifest.json`."""
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "arch": manifest.arch.to_dict(),
        "model": {"name": manifest.model.name, "sha256": manifest.model.sha256},
        "options": manifest.options,
        "global_size": manifest.global_size,
        "inputs": [tensor_record(spec) for spec in manifest.inputs],
        "outputs": [tensor_record(spec) for spec in manifest.outputs],
        "read_only": [_read_only_record(spec) for spec in manifest.read_only],
        "states": [{"input": state.input, "output": state.output} for state in manifest.states],
        "default_input": manifest.default_input,
        "golden": manifest.golden,
        "golden_source": manifest.golden_source,
        "tensors": [origin_record(origin) for origin in manifest.tensors],
        "warnings": list(manifest.warnings),
        "cores": [{"core": files.core, "program": files.program, "xbar": files.xbar} for files in manifest.cores],
        "files": {name: {"sha256": file.sha256, "size": file.size} for name, file in manifest.files.items()},
    }
    if manifest.segments:  # of few networks: all others have no such key
        record[SEGMENTS] = [segment_record(segment) for segment in manifest.segments]
    if manifest.spare is not None:
        record[SPARE] = dict(manifest.spare)
    if manifest.crossbars is not None:
        record[CROSSBARS] = cell_record(manifest.crossbars)
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def tensor_record(spec: TensorSpec) -> dict[str, Any]:
    """A tensor of global memory as plain values, for JSON."""
    return {
        "name": spec.name,
        "shape": list(spec.shape),
        "dtype": spec.dtype.name,
        "extent": list(spec.form.extent),
        "layout": list(spec.form.layout),
        "tiles": [{"box": [list(part) for part in tile.box], "address": tile.address} for tile in spec.tiles],
    }


def _read_only_record(spec: ReadOnlySpec) -> dict[str, Any]:
    record = {"name": spec.name, "shape": list(spec.shape), "dtype": spec.dtype.name}
    return {**record, "address": spec.address, "file": spec.file}


def manifest_from_json(text: str, where: str) -> Manifest:
    """The manifest in JSON text; raises ProgramError (ArchError for the architecture) naming `where` and the key."""
    root = parse_json(text, where)
    _check_version(root)
    fields = root.object(_KEYS, (SEGMENTS, CROSSBARS, SPARE))
    arch = arch_from_dict(_arch_values(fields["arch"]), f"{where}: arch")
    limit = fields["global_size"].integer(0, arch.global_memory.size)
    model = fields["model"].object(("name", "sha256"))
    manifest = Manifest(
        arch=arch,
        cores=tuple(_core(field, arch) for field in fields["cores"].items()),
        inputs=tuple(tensor_from_json(field, limit) for field in fields["inputs"].items()),
        outputs=tuple(tensor_from_json(field, limit) for field in fields["outputs"].items()),
        read_only=tuple(_read_only(field) for field in fields["read_only"].items()),
        states=tuple(_state(field) for field in fields["states"].items()),
        global_size=limit,
        model=ModelInfo(model["name"].text(), hex_or_empty(model["sha256"])),
        default_input=file_name(fields["default_input"], empty=True),
        golden=file_name(fields["golden"], empty=True),
        golden_source=fields["golden_source"].text(),
        options={key: field.text() for key, field in fields["options"].mapping().items()},
        tensors=tuple(origin_from_json(field) for field in fields["tensors"].items()),
        warnings=tuple(field.text(empty=False) for field in fields["warnings"].items()),
        files=dict(_digest(name, field) for name, field in fields["files"].mapping().items()),
        segments=tuple(segment_from_json(field) for field in fields[SEGMENTS].items()) if SEGMENTS in fields else (),
        crossbars=cells_from_json(fields[CROSSBARS], arch.all_cores) if CROSSBARS in fields else None,
        spare=_spare(fields[SPARE]) if SPARE in fields else None,
    )
    if SEGMENTS in fields and (wrong := segments_fault(manifest)):
        fields[SEGMENTS].refuse(wrong)
    fault = read_only_fault(manifest.read_only, (*manifest.inputs, *manifest.outputs), limit)
    if fault:
        fields["read_only"].refuse(fault)
    inputs, outputs = ({s.name: (s.shape, s.dtype) for s in specs} for specs in (manifest.inputs, manifest.outputs))
    if fault := state_fault(manifest.states, inputs, outputs):
        fields["states"].refuse(fault)
    _check_unique(fields, manifest)
    _check_files(root, manifest)
    return manifest


def _check_version(root: Field) -> None:
    fields = root.mapping()
    if "format" not in fields or fields["format"].value != FORMAT:
        root.refuse("not the manifest of a compiled image")
    if "version" not in fields:
        root.refuse("key 'version' is missing")
    version = fields["version"].integer(1, 1 << 31)
    if version > VERSION:
        root.refuse(f"image format version {version} is newer than this emulator's {VERSION}")
    if version < VERSION:
        root.refuse(f"image format version {version} is older than this emulator's {VERSION}: compile again")


def _arch_values(field: Field) -> dict[str, Any]:
    return {key: part.value for key, part in field.mapping().items()}


def _core(field: Field, arch: Arch) -> CoreFiles:
    fields = field.object(("core", "program", "xbar"))
    core = fields["core"].integer(0, arch.all_cores - 1)
    return CoreFiles(core, file_name(fields["program"]), file_name(fields["xbar"], empty=True))


def tensor_from_json(field: Field, limit: int) -> TensorSpec:
    """The tensor that `tensor_record` wrote, in a global memory of `limit` bytes; raises ProgramError."""
    spec = spec_from_json(field)
    fault = tensor_fault(spec, limit)
    if fault:
        field.refuse(fault)
    return spec


def spec_from_json(field: Field) -> TensorSpec:
    """The tensor that `tensor_record` wrote, wherever its tiles stand, and whatever they cover; raises ProgramError."""
    fields = field.object(("name", "shape", "dtype", "extent", "layout", "tiles"))
    form = Form(
        shape=tuple(part.integer(0, _SIZE) for part in fields["shape"].items()),
        extent=tuple(part.integer(0, _SIZE) for part in fields["extent"].items()),
        layout=tuple(part.text() for part in fields["layout"].items()),
    )
    return TensorSpec(
        name=fields["name"].text(empty=False),
        form=form,
        dtype=_dtype(fields["dtype"]),
        tiles=tuple(_tile(part) for part in fields["tiles"].items()),
    )


def _dtype(field: Field) -> DType:
    return field.choice(lambda name: DType[name], f"one of {', '.join(DType.__members__)}")


def _read_only(field: Field) -> ReadOnlySpec:
    fields = field.object(("name", "shape", "dtype", "address", "file"))
    shape = tuple(part.integer(0, _SIZE) for part in fields["shape"].items())
    if len(shape) > MAX_RANK:
        fields["shape"].refuse(f"{len(shape)} dimensions, more than {MAX_RANK}")
    return ReadOnlySpec(
        fields["name"].text(empty=False),
        _dtype(fields["dtype"]),
        shape,
        fields["address"].integer(0, _SIZE),
        file_name(fields["file"]),
    )


def _spare(field: Field) -> dict[str, int]:
    return {name: cores.integer(1, _SIZE) for name, cores in field.mapping().items()}


def _state(field: Field) -> StateSpec:
    fields = field.object(("input", "output"))
    return StateSpec(fields["input"].text(empty=False), fields["output"].text(empty=False))


def origin_record(origin: TensorOrigin) -> dict[str, str]:
    """An origin as plain values, for JSON."""
    return {"tensor": origin.tensor, "node": origin.node, "absent": origin.absent}


def origin_from_json(field: Field) -> TensorOrigin:
    """The origin that `origin_record` wrote; raises ProgramError."""
    fields = field.object(("tensor", "node", "absent"))
    return TensorOrigin(fields["tensor"].text(empty=False), fields["node"].text(), fields["absent"].text())


def _tile(field: Field) -> TensorTile:
    fields = field.object(("box", "address"))
    return TensorTile(tuple(_range(part) for part in fields["box"].items()), fields["address"].integer(0, _SIZE))


def _range(field: Field) -> tuple[int, int]:
    first, last = (part.integer(0, _SIZE) for part in field.exactly(2))
    return first, last


def tensor_fault(spec: TensorSpec, limit: int) -> str:
    """Why `spec` cannot stand in a global memory of `limit` bytes, as the end of a sentence; empty if it can."""
    fault = layout_fault(spec)
    for begin, end in () if fault else spec.ranges:
        if begin < 0 or end > limit:
            return f"a tile is [{begin}, {end}) of a global memory in use of {limit} bytes"
    return fault


def _digest(name: str, field: Field) -> tuple[str, FileDigest]:
    if not is_file_name(name) or name == MANIFEST_FILE:
        field.refuse(f"{name!r} cannot be the name of a file of the image")
    fields = field.object(("sha256", "size"))
    digest = hex_or_empty(fields["sha256"]) or fields["sha256"].refuse("expected a SHA-256, got nothing")
    return name, FileDigest(digest, fields["size"].integer(0, _SIZE))


def _check_unique(fields: dict[str, Field], manifest: Manifest) -> None:
    listed = {
        "cores": [files.core for files in manifest.cores],
        "inputs": [spec.name for spec in manifest.inputs],
        "outputs": [spec.name for spec in manifest.outputs],
        "read_only": [spec.name for spec in manifest.read_only],
    }
    for key, names in listed.items():
        twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
        if twice is not None:
            fields[key].refuse(f"{twice!r} occurs twice")


def _check_files(root: Field, manifest: Manifest) -> None:
    wanted = [name for files in manifest.cores for name in (files.program, files.xbar)]
    for name in (*wanted, manifest.default_input, manifest.golden, *(spec.file for spec in manifest.read_only)):
        if name and name not in manifest.files:
            root.refuse(f"file {name!r} has no digest under 'files'")

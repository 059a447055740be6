"""A folder of a flow: its text, the arrays that it names, stored inputs and golden outputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from emu.errors import InputError
from emu.image.manifest import TensorSpec
from emu.interop.mop.flow import FlowTensor
from emu.output.whole_folder import WholeFolder

FLOW, WEIGHTS, INPUTS, GOLDEN = "flow.mop", "weights.npz", "inputs.npz", "golden.npz"


def new_folder(path: Path) -> WholeFolder:
    """A folder to write a flow into, in place of an older one; raises InputError for a folder of anything else."""
    if path.is_dir() and any(path.iterdir()) and not (path / FLOW).is_file():
        raise InputError(f"{path} exists and holds no {FLOW}: name another directory, or an empty one")
    return WholeFolder(path)


def specs_of(tensors: Sequence[FlowTensor]) -> tuple[TensorSpec, ...]:
    """Inputs or outputs of a flow as those of an image, for files of samples."""
    return tuple(TensorSpec(tensor.name, tensor.form, tensor.dtype, ()) for tensor in tensors)


def beside(flow: Path, name: str, given: Path | None) -> Path:
    """The file that was given, or else the one of that name beside the flow."""
    return given if given is not None else flow.parent / name

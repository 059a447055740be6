"""Inputs given one by one on the command line: `x=1,2,3,4`, `x=file.npy`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np

from emu.errors import InputError
from emu.image.manifest import TensorSpec
from emu.image.npz import read_npy
from emu.isa.dtypes import DType
from emu.wording import counted, nearest
from launch.samples.inputs import check_inputs, describe

ARRAY_FILE = ".npy"  # how the name of a file ends; anything else is numbers
_TRUTH = {"0": False, "1": True, "false": False, "true": True}


def named_inputs(
    values: Sequence[tuple[str, str]], specs: Sequence[TensorSpec], flag: str = "--input"
) -> dict[str, np.ndarray]:
    """Inputs (samples,) + logical shape of (name, text) pairs of the option `flag`; InputError names the input."""
    known = {spec.name: spec for spec in specs}
    arrays: dict[str, np.ndarray] = {}
    for name, text in values:
        if name not in known:
            wanted = ", ".join(map(describe, specs)) or "none"
            raise InputError(f"{flag} {name}=...: the inputs are {wanted}{nearest(name, known)}")
        if name in arrays:
            raise InputError(f"{flag} {name}=... is given twice: give each input once")
        arrays[name] = read_npy(Path(text)) if text.endswith(ARRAY_FILE) else _numbers(text, known[name], flag)
    return check_inputs(arrays, specs, flag)


def _numbers(text: str, spec: TensorSpec, flag: str) -> np.ndarray:
    """Comma-separated numbers in row-major order, as many as one sample has, or several samples."""
    numbers = [_number(part.strip(), spec, flag) for part in text.split(",")]
    size = prod(spec.shape)
    if len(numbers) % size:
        raise InputError(
            f"{flag} {spec.name}=...: {counted(len(numbers), 'number')}, but {describe(spec)} has {size} per sample"
        )
    return np.array(numbers, spec.dtype.numpy).reshape(-1, *spec.shape)


def _number(text: str, spec: TensorSpec, flag: str) -> float | int | bool:
    """One number of the type of the input."""
    dtype = spec.dtype
    try:
        if dtype is DType.bool:
            return _TRUTH[text.lower()]
        if dtype.is_float:
            return _in_range(float(text), np.finfo(dtype.numpy))
        return _in_range(int(text), np.iinfo(dtype.numpy))
    except (KeyError, ValueError):
        raise InputError(
            f"{flag} {spec.name}=...: {text!r} is no number of type {dtype.numpy.name} (for an array, name a file that"
            f" ends with {ARRAY_FILE})"
        ) from None


def _in_range(value: float, limits: np.finfo | np.iinfo) -> float:
    """The value; raises ValueError for a finite one that the type does not hold."""
    if np.isfinite(value) and not float(limits.min) <= value <= float(limits.max):
        raise ValueError(value)
    return value


def split_inputs(given: Sequence[Path | tuple[str, str]]) -> tuple[Path | None, tuple[tuple[str, str], ...]]:
    """The file, or the named values, of all --input options; raises InputError for a mixture."""
    files = [entry for entry in given if isinstance(entry, Path)]
    values = tuple(entry for entry in given if not isinstance(entry, Path))
    if len(files) > 1 or (files and values):
        raise InputError("--input takes one FILE.npz with all inputs, or NAME=... for each of them")
    return (files[0] if files else None), values

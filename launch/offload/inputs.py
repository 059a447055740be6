"""Inputs of a host program: from an .npz, one by one by name, or seeded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from compiler.basis.limits import MAX_ELEMENTS
from compiler.offload.program import Input
from emu.errors import InputError, option
from emu.image.npz import read_npy, read_npz
from emu.wording import nearest
from launch.samples.input_values import ARRAY_FILE, split_inputs

_RANGES = {"b": (0, 2), "i": (-100, 100)}  # half-open, by kind of type


def inputs_of(wanted: Sequence[Input], given: Sequence[Path | tuple[str, str]], seed: int) -> list[np.ndarray]:
    """An array for each input; without any given, all are seeded. Raises InputError."""
    file, values = split_inputs(given)
    if file is None and not values:
        return [_seeded(each, seed, place) for place, each in enumerate(wanted)]
    known = {each.name: each for each in wanted}
    arrays: dict[str, np.ndarray] = dict(read_npz(file)) if file is not None else _named(values, known)
    for each in wanted:
        if each.name not in arrays:
            raise InputError(f"the input {each.name!r} is missing: {file or option('input')} gives {_names(arrays)}")
        _check(arrays[each.name], each)
    return [arrays[each.name] for each in wanted]


def sized_inputs(wanted: Sequence[Input], shapes: Sequence[tuple[str, tuple[int, ...]]]) -> list[Input]:
    """The inputs with sizes that are given by name; raises InputError for those that do not fit."""
    known, sizes = {each.name: each for each in wanted}, dict[str, tuple[int, ...]]()
    for name, shape in shapes:
        said = f"{option('shape')} {name}={','.join(map(str, shape))}"
        if name not in known:
            raise InputError(f"{said}: the inputs are {_names(known)}{nearest(name, known)}")
        if name in sizes:
            raise InputError(f"{said}: it has a shape already: give each input one")
        own = known[name].shape
        if len(own) != len(shape) or any(size not in (None, given) for size, given in zip(own, shape, strict=True)):
            raise InputError(f"{said}: the program takes {_shape(known[name])}")
        if prod(shape) > MAX_ELEMENTS:
            raise InputError(f"{said}: these are {prod(shape)} elements, and {MAX_ELEMENTS} are the most")
        sizes[name] = shape
    return [replace(each, shape=sizes.get(each.name, each.shape)) for each in wanted]


def _shape(wanted: Input) -> str:
    return " x ".join("?" if size is None else str(size) for size in wanted.shape) or "one number"


def _named(values: Sequence[tuple[str, str]], known: Mapping[str, Input]) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for name, text in values:
        if name not in known:
            raise InputError(f"{option('input')} {name}=...: the inputs are {_names(known)}{nearest(name, known)}")
        if name in arrays:
            raise InputError(f"{option('input')} {name}=... is given twice: give each input once")
        arrays[name] = read_npy(Path(text)) if text.endswith(ARRAY_FILE) else _numbers(text, known[name])
    return arrays


def _numbers(text: str, wanted: Input) -> np.ndarray:
    """As many numbers as the input has elements, in row-major order."""
    if None in wanted.shape:
        raise InputError(
            f"{option('input')} {wanted.name}=...: its sizes are open: name a file that ends with {ARRAY_FILE}, or give"
            f" them by {option('shape')} {wanted.name}=..."
        )
    parts, count = text.split(","), prod(size or 0 for size in wanted.shape)
    if len(parts) != count:
        raise InputError(f"{option('input')} {wanted.name}=...: it has {count} elements, not {len(parts)}")
    try:
        convert = float if wanted.dtype.kind == "f" else int
        return np.array([convert(part) for part in parts], wanted.dtype).reshape([size or 0 for size in wanted.shape])
    except (ValueError, OverflowError):
        raise InputError(
            f"{option('input')} {wanted.name}=...: {text[:40]!r} are no numbers of type {wanted.dtype}"
        ) from None


def _check(array: np.ndarray, wanted: Input) -> None:
    fits = array.ndim == len(wanted.shape) and all(
        size in (None, own) for size, own in zip(wanted.shape, array.shape, strict=True)
    )
    if not fits or array.dtype != wanted.dtype:
        raise InputError(
            f"the input {wanted.name!r} is {array.dtype} of {list(array.shape)}, and the program takes {wanted.dtype}"
            f" of {_shape(wanted)}"
        )


def _seeded(wanted: Input, seed: int, place: int) -> np.ndarray:
    if None in wanted.shape:
        raise InputError(
            f"the input {wanted.name!r} has sizes that are open: give it by {option('input')}, or its sizes by"
            f" {option('shape')} {wanted.name}=..."
        )
    shape: Any = wanted.shape
    rng = np.random.default_rng((seed, place))
    try:
        if wanted.dtype.kind == "f":
            return rng.standard_normal(shape).astype(wanted.dtype)
        return rng.integers(*_RANGES[wanted.dtype.kind], shape).astype(wanted.dtype)
    except MemoryError:
        raise InputError(f"the input {wanted.name!r} of {_shape(wanted)} does not fit into memory") from None


def _names(values: Mapping[str, object]) -> str:
    return ", ".join(map(repr, values)) or "none"

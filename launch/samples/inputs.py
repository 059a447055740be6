"""The inputs of a run: read from a file or seeded, checked against the network's inputs, as samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

import numpy as np

from emu.errors import InputError, option
from emu.image.manifest import TensorSpec
from emu.image.npy_stream import ArrayHeader
from emu.image.npz import Archive
from emu.isa.dtypes import DType

# Half-open ranges of seeded integers: int64 inputs are indices and masks in practice, small enough to be valid.
INTEGER_RANGES = {
    DType.i8: (-128, 128),
    DType.u8: (0, 256),
    DType.i16: (-1000, 1000),
    DType.u16: (0, 1000),
    DType.i32: (0, 10),
    DType.i64: (0, 2),
    DType.bool: (0, 2),
}
PIECE = 1 << 16  # random numbers that are drawn at once


def load_inputs(path: Path, specs: Sequence[TensorSpec]) -> dict[str, np.ndarray]:
    """Inputs of an `.npz` file as (n,) + logical shape each; raises InputError naming what was expected."""
    with Archive(path) as arrays:
        return check_inputs(arrays, specs, str(path))


def check_inputs(arrays: Mapping[str, np.ndarray], specs: Sequence[TensorSpec], where: str) -> dict[str, np.ndarray]:
    """`arrays` as (n,) + logical shape per input; arrays that are no input are left out, and never read."""
    missing = [spec.name for spec in specs if spec.name not in arrays]
    if missing:
        wanted = ", ".join(describe(spec) for spec in specs)
        names = ", ".join(map(repr, arrays)) or "nothing"
        raise InputError(f"{where} has no array {missing[0]!r}: it holds {names}, the network takes {wanted}")
    shapes = {spec.name: _samples_shape(_form(arrays, spec.name), spec, where) for spec in specs}
    if len({shape[0] for shape in shapes.values()}) > 1:
        text = ", ".join(f"{name!r} {shape[0]}" for name, shape in shapes.items())
        raise InputError(f"{where} holds different numbers of samples: {text}")
    return {name: arrays[name].reshape(shape) for name, shape in shapes.items()}


def load_outputs(path: Path, specs: Sequence[TensorSpec]) -> dict[str, np.ndarray]:
    """Golden outputs of an `.npz` file as (n,) + logical shape each; raises InputError if one is missing."""
    with Archive(path) as arrays:
        missing = [spec.name for spec in specs if spec.name not in arrays]
        if missing:
            names = ", ".join(map(repr, arrays)) or "nothing"
            raise InputError(f"the golden values ({path}) have no output {missing[0]!r}: they hold {names}")
        return check_inputs(arrays, specs, str(path))


def load_others(path: Path, specs: Sequence[TensorSpec], other: Callable[[str], str]) -> dict[str, np.ndarray]:
    """Arrays like those of `load_outputs` under `other` names; nothing unless the file holds all of them."""
    renamed = [replace(spec, name=other(spec.name)) for spec in specs]
    with Archive(path) as arrays:
        if any(spec.name not in arrays for spec in renamed):
            return {}
        found = check_inputs(arrays, renamed, str(path))
    return {spec.name: found[form.name] for spec, form in zip(specs, renamed, strict=True)}


def _form(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray | ArrayHeader:
    """What tells shape and element type of an array: of a file, without reading its elements."""
    return arrays.header(name) if isinstance(arrays, Archive) else arrays[name]


def _samples_shape(array: np.ndarray | ArrayHeader, spec: TensorSpec, where: str) -> tuple[int, ...]:
    """(n,) + S for logical shape S: an array of a file may be S, (n,) + S or, when S[0] is 1, (n,) + S[1:]."""
    shape = tuple(spec.shape)
    if array.dtype != spec.dtype.numpy:
        raise InputError(
            f"{spec.name!r} of {where} is {array.dtype}, expected {spec.dtype.numpy.name}: convert it with .astype()"
        )
    if array.shape[1:] == shape and len(array.shape) == len(shape) + 1:
        count = array.shape[0]
    elif array.shape == shape:
        count = 1
    elif shape[:1] == (1,) and len(array.shape) == len(shape) and array.shape[1:] == shape[1:]:
        count = array.shape[0]
    else:
        raise InputError(f"{spec.name!r} of {where} has shape {array.shape}, expected {_accepted(shape)}")
    if not count:
        raise InputError(f"{spec.name!r} of {where} holds no sample")
    return (count, *shape)


def _accepted(shape: tuple[int, ...]) -> str:
    batches = ["n", *map(str, shape[1:] if shape[:1] == (1,) else shape)]
    return f"{shape} or, for n samples, ({', '.join(batches)}{',' if len(batches) == 1 else ''})"


def describe(spec: TensorSpec) -> str:
    """Name, element type and shape, for messages and tables."""
    return f"{spec.name!r} {spec.dtype.numpy.name} {tuple(spec.shape)}"


def seeded_inputs(specs: Sequence[TensorSpec], seed: int, count: int = 1) -> dict[str, np.ndarray]:
    """`count` random samples per input: standard normal floats, integers of `INTEGER_RANGES`.

    Sample k depends on the seed, the position of the input and k only, not on `count`.
    """
    samples = {spec.name: np.empty((count, *spec.shape), spec.dtype.numpy) for spec in specs}
    for place, spec in enumerate(specs):
        for k, sample in enumerate(samples[spec.name].reshape(count, prod(spec.shape))):
            _fill(sample, spec.dtype, np.random.default_rng((seed, place, k)))
    return samples


def _fill(sample: np.ndarray, dtype: DType, rng: np.random.Generator) -> None:
    """Random numbers, piece by piece: they are drawn in a wider type."""
    low, high = INTEGER_RANGES.get(dtype, (0, 0))
    for start in range(0, sample.size, PIECE):
        piece = sample[start : start + PIECE]
        piece[...] = rng.standard_normal(piece.size) if dtype.is_float else rng.integers(low, high, piece.size)


def sample_count(inputs: Mapping[str, np.ndarray]) -> int:
    """Number of samples of checked inputs (1 for a network without inputs)."""
    return next((len(array) for array in inputs.values()), 1)


def each_sample(inputs: Mapping[str, np.ndarray], repeat: int = 1, skip: int = 0) -> Iterator[dict[str, np.ndarray]]:
    """One dictionary per sample (logical shapes), all samples `repeat` times over, without the first `skip` of all."""
    count = sample_count(inputs)
    for k in range(skip, repeat * count):
        yield {name: array[k % count] for name, array in inputs.items()}


def load_labels(path: Path, key: str, count: int) -> np.ndarray:
    """Class labels, one integer per sample, from array `key` of an `.npz` file."""
    with Archive(path) as arrays:
        if key not in arrays:
            known = ", ".join(map(repr, arrays))
            raise InputError(f"{path} has no array {key!r} for {option('labels')}: it holds {known}")
        labels = arrays.header(key)
        if labels.dtype.kind not in "iu" or prod(labels.shape) != count:
            raise InputError(
                f"labels {key!r} of {path} are {labels.dtype} {labels.shape}, expected one integer per sample ({count})"
            )
        return arrays[key].reshape(count)

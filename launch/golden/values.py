"""Golden values: the tensors of a network as a trusted evaluator computes them, in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from emu.errors import InputError, shown
from emu.image.manifest import Manifest, StateSpec, TensorSpec
from emu.image.npz import Archive
from emu.output.scratch import ScratchFolder
from emu.output.stream import new_file
from launch.golden.golden_process import GoldenError, evaluate
from launch.golden.intermediate import KeptTensor
from launch.golden.sources import ALIASES
from launch.samples.inputs import check_inputs, load_others, load_outputs, sample_count
from launch.supervision.stopped_processes import Notice

_SHAPE = "shape "  # begins the option of a manifest with the shape of an input


@dataclass(frozen=True, slots=True)
class Golden:
    """Golden tensors, (samples,) + logical shape each, and who says so."""

    source: str  # such as "onnxruntime 1.31.1"
    tensors: Mapping[str, np.ndarray]
    # The same with floats perturbed before they are rounded to integers; none unless inexact floats are rounded.
    perturbed: tuple[Mapping[str, np.ndarray], ...] = ()
    origin: str = ""  # where they are from if that is no file, such as "stored in the image"

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays of one file: `NAME`, and for perturbed runs `NAME/shaken0` and so on."""
        others = {
            _perturbed(name, k): array for k, tensors in enumerate(self.perturbed) for name, array in tensors.items()
        }
        return {**self.tensors, **others}


def _perturbed(name: str, place: int) -> str:
    return f"{name}/shaken{place}"


_PERTURBED = re.compile(r"/shaken\d+$")


@dataclass(frozen=True, slots=True)
class Steps:
    """States that are kept from sample to sample, and their first values, by input, in logical shape."""

    states: tuple[StateSpec, ...]
    initial: Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Caches:
    """Caches hold `length` tokens in a network that was compiled for `shapes` of its inputs."""

    length: int
    shapes: Mapping[str, tuple[int, ...]]


def compute_golden(
    model: Path,
    source: str,
    inputs: Mapping[str, np.ndarray],
    tensors: Sequence[str],
    steps: Steps | None = None,
    caches: Caches | None = None,
    notice: Notice | None = None,
) -> Golden:
    """Golden values of `tensors` (outputs or intermediate ones) of a network's file for checked inputs.

    With `steps`, `inputs` are without the states, which the evaluator keeps from sample to sample. With `caches`
    the file is evaluated with caches of fixed capacity, as it was compiled.

    The values stay in unlinked files, memory-mapped: intermediate tensors of many samples may be large. `notice` is
    called if the process that computes them is stopped.
    Raises GoldenError if the evaluator refuses the network or dies.
    """
    if not tensors:
        return Golden(ALIASES.get(source, source), {})
    from compiler.front_ends import front_end_of

    evaluators = front_end_of(model).evaluators
    if evaluators is None:
        raise GoldenError(f"nobody can compute golden values of {model}: give them in a file, or none")
    with ScratchFolder("golden") as folder:
        try:
            read = model if caches is None else _of_fixed_length(folder, model, caches)
            request = _request(folder, read, source, evaluators, inputs, tensors, steps)
        except InputError as error:
            raise GoldenError(f"{error}; TMPDIR can name another place") from None
        result = evaluate(folder, model, source, request, notice)
        # A mapping outlives the directory: the files go when the arrays go.
        values = _load(folder, "out", tensors)
        perturbed = tuple(_load(folder, f"shaken{k}-", tensors) for k in range(result["perturbed"]))
    return Golden(result["source"], values, perturbed, f"computed from {shown(model.name)}")


def _load(folder: Path, prefix: str, tensors: Sequence[str]) -> dict[str, np.ndarray]:
    files = {tensor: folder / f"{prefix}{i}.npy" for i, tensor in enumerate(tensors)}
    return {tensor: np.load(file, mmap_mode="r") for tensor, file in files.items() if file.exists()}


def _request(
    folder: Path,
    model: Path,
    source: str,
    evaluators: Path,
    inputs: Mapping[str, np.ndarray],
    tensors: Sequence[str],
    steps: Steps | None,
) -> dict[str, Any]:
    """The request to the process; its arrays are files of `folder`."""
    states = steps.states if steps else ()
    arrays = {**inputs, **(steps.initial if steps else {})}
    files = {name: f"in{i}.npy" for i, name in enumerate(arrays)}
    for name, array in arrays.items():
        with new_file(folder / files[name], folder / files[name]) as file:
            npy.write_array(file, np.asarray(array), allow_pickle=False)
    return {
        "model": str(model.resolve()),
        "evaluators": str(evaluators),
        "source": ALIASES.get(source, source),
        "inputs": {name: files[name] for name in inputs},
        "states": [{"input": s.input, "output": s.output, "file": files[s.input]} for s in states],
        "samples": sample_count(inputs),
        "tensors": list(dict.fromkeys((*tensors, *(state.output for state in states)))),
    }


def caches_of(manifest: Manifest) -> Caches | None:
    """The caches that the compiler has given a fixed capacity; None if there are none."""
    text = manifest.options.get("max_length", "")
    given = {name: sizes for name, sizes in manifest.options.items() if name.startswith(_SHAPE)}
    shapes = {
        name.removeprefix(_SHAPE): tuple(int(size) for size in sizes.split(",") if size)
        for name, sizes in given.items()
    }
    return Caches(int(text), shapes) if text.isdecimal() else None


def _of_fixed_length(folder: Path, model: Path, caches: Caches) -> Path:
    """A file in `folder` with the network as it was compiled: with caches of fixed capacity."""
    from compiler.caches.fixed import with_fixed_caches
    from compiler.frontend.model import load_model

    return with_fixed_caches(load_model(model), caches.length, caches.shapes).save(folder / "fixed")


def read_golden(path: Path, outputs: Sequence[TensorSpec], source: str = "") -> Golden:
    """Golden values of `outputs` from an `.npz` file, which is an image's own if `source` says who computed them."""
    perturbed: list[dict[str, np.ndarray]] = []
    while others := load_others(path, outputs, lambda name: _perturbed(name, len(perturbed))):
        perturbed.append(others)
    origin = "stored in the image" if source else ""
    return Golden(source or str(path), load_outputs(path, outputs), tuple(perturbed), origin)


def read_kept(path: Path, kept: Sequence[KeptTensor], count: int) -> Golden:
    """Golden values of those kept tensors that an `.npz` file holds, `count` samples each; raises InputError."""
    specs = [TensorSpec(tensor.name, tensor.form, tensor.tiles[0][1].dtype, ()) for tensor in kept]
    with Archive(path) as arrays:
        found = check_inputs(arrays, [spec for spec in specs if spec.name in arrays], str(path))
    for name, array in found.items():
        if len(array) != count:
            raise InputError(f"{name!r} of {path} are golden values of {len(array)} samples, the inputs are {count}")
    return Golden(str(path), found)


def names_in(path: Path) -> list[str]:
    """The names of what an `.npz` file holds golden values of."""
    with Archive(path) as arrays:
        names = list(arrays)
    return [name for name in names if not (_PERTURBED.search(name) and _PERTURBED.sub("", name) in names)]

"""A worker that computes golden values, so that a failing evaluator cannot harm the run."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from launch.golden.rounding import perturbed
from launch.workers.failures import WorkerRefusal
from launch.workers.serving import serve

Runner = Callable[[dict[str, np.ndarray]], Sequence[np.ndarray]]


def compute(folder: str, evaluators: str, model: str, source: str, **request: Any) -> dict[str, Any]:
    """Write one `.npy` per tensor, (samples,) + shape, into `folder`; returns the source and how many are `perturbed`.

    `out0.npy` and so on are the golden values; `shaken0-0.npy` and so on where these are uncertain (`rounding.py`). The
    `request` has files of `inputs` by name, `states` with input, output and file, `samples` and `tensors`. Raises
    Refusal if that cannot be computed.
    """
    place, front_end = Path(folder), _load(Path(evaluators))
    try:
        inputs = {name: np.load(place / file, mmap_mode="r") for name, file in request["inputs"].items()}
        states = {state["input"]: np.load(place / state["file"]) for state in request["states"]}
        shapes = {name: array.shape[1:] for name, array in inputs.items()}
        shapes |= {name: array.shape for name, array in states.items()}
        asked = Path(model), request["tensors"], shapes
        name, run = front_end.SOURCES[source](*asked)
        _compute(place, "out", request, inputs, states, run)
        others = perturbed(front_end, source, *asked) if hasattr(front_end, "model_of") else []
        for k, other in enumerate(others):
            _compute(place, f"shaken{k}-", request, inputs, states, other)
    except front_end.Refused as error:
        raise WorkerRefusal(str(error)) from error
    return {"source": name, "perturbed": len(others)}


def _load(path: Path) -> Any:
    """The front end's evaluators: a Python file, or a folder that is a package."""
    file, folders = (path / "__init__.py", [str(path)]) if path.is_dir() else (path, None)
    spec = importlib.util.spec_from_file_location("evaluators", file, submodule_search_locations=folders)
    assert spec is not None and spec.loader is not None
    module = sys.modules["evaluators"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compute(
    folder: Path,
    prefix: str,
    request: dict[str, Any],
    inputs: Mapping[str, np.ndarray],
    states: Mapping[str, np.ndarray],
    run: Runner,
) -> None:
    """Run sample by sample (a batch could round differently) and write each result straight to its file.

    `states` are what the first sample reads; each further one reads what the one before has made.
    """
    count = request["samples"]
    files: list[np.ndarray] = []
    for k in range(count):
        values = run({name: np.asarray(array[k]) for name, array in inputs.items()} | dict(states))
        made = dict(zip(request["tensors"], values, strict=True))
        states = {state["input"]: np.asarray(made[state["output"]]) for state in request["states"]}
        if not k:
            files = [_create(folder / f"{prefix}{i}.npy", np.asarray(value), count) for i, value in enumerate(values)]
        for name, file, value in zip(request["tensors"], files, values, strict=True):
            if np.shape(value) != file.shape[1:]:
                raise WorkerRefusal(f"tensor {name!r} changes its shape from sample to sample")
            file[k] = value


def _create(path: Path, first: np.ndarray, count: int) -> np.ndarray:
    if first.dtype.kind not in "biuf":
        return np.empty((count, *first.shape), first.dtype)  # nothing that a core computes: left out
    return np.lib.format.open_memmap(path, "w+", first.dtype, (count, *first.shape))


if __name__ == "__main__":
    serve({"compute": compute})

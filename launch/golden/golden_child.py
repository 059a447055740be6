"""Computes golden values in a process of its own: `python golden_child.py FOLDER PARENT`."""

# Imports nothing of this project: it is started by path, and whatever it does cannot harm the run.
from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

PR_SET_PDEATHSIG = 1
Runner = Callable[[dict[str, np.ndarray]], Sequence[np.ndarray]]


class Refused(Exception):
    """The request cannot be computed; the text says why."""


def main(folder: Path) -> None:
    """Write one `.npy` per tensor, (samples,) + shape, and `result.json` with the source or the error.

    `out0.npy` and so on are the golden values; `shaken0-0.npy` and so on where these are uncertain (`rounding.py`).
    """
    request = json.loads((folder / "request.json").read_text())
    evaluators = _load(Path(request["evaluators"]))
    try:
        inputs = {name: np.load(folder / file, mmap_mode="r") for name, file in request["inputs"].items()}
        states = {state["input"]: np.load(folder / state["file"]) for state in request["states"]}
        shapes = {name: array.shape[1:] for name, array in inputs.items()}
        shapes |= {name: array.shape for name, array in states.items()}
        asked = Path(request["model"]), request["tensors"], shapes
        source, run = evaluators.SOURCES[request["source"]](*asked)
        _compute(folder, "out", request, inputs, states, run)
        others = evaluators.shaken(request["source"], *asked) if hasattr(evaluators, "shaken") else []
        for k, other in enumerate(others):
            _compute(folder, f"shaken{k}-", request, inputs, states, other)
        result = {"source": source, "shaken": len(others)}
    except (Refused, evaluators.Refused) as error:
        result = {"error": str(error)}
    (folder / "result.json").write_text(json.dumps(result))


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
                raise Refused(f"tensor {name!r} changes its shape from sample to sample")
            file[k] = value


def _create(path: Path, first: np.ndarray, count: int) -> np.ndarray:
    if first.dtype.kind not in "biuf":
        return np.empty((count, *first.shape), first.dtype)  # nothing that a core computes: left out
    return np.lib.format.open_memmap(path, "w+", first.dtype, (count, *first.shape))


def die_with(parent: int) -> None:
    """End this process as soon as `parent`, which started it, has ended."""
    with contextlib.suppress(OSError, AttributeError):  # not on this system
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("nobody waits for the golden values any more")


if __name__ == "__main__":
    die_with(int(sys.argv[2]))
    main(Path(sys.argv[1]))

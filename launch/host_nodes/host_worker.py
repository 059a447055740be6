"""A worker that computes host nodes: it opens an ONNX file, and runs it sample by sample."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from compiler.evaluation import Refused, Runner
from compiler.host_parts.evaluators import evaluator
from launch.workers.failures import WorkerRefusal
from launch.workers.serving import serve


class HostNodes:
    """The nodes of one ONNX file, which is read by `open`."""

    def __init__(self) -> None:
        self._outputs: Sequence[str] = ()
        self._run: Runner

    def open(self, model: str, outputs: Sequence[str], shapes: Mapping[str, Sequence[int]]) -> str:
        """Get ready for the `outputs` of a file, whose inputs have `shapes`, as far as they are fixed; the evaluator.

        Raises WorkerRefusal if no evaluator can compute them.
        """
        self._outputs = outputs
        try:
            name, self._run = evaluator(Path(model), outputs, {name: tuple(shape) for name, shape in shapes.items()})
        except Refused as error:
            raise WorkerRefusal(str(error)) from error
        return name

    def run(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs by name, for the values of the inputs by name; raises WorkerRefusal."""
        try:
            made = dict(zip(self._outputs, self._run(dict(values)), strict=True))
        except Refused as error:
            raise WorkerRefusal(str(error)) from error
        return {name: _own(value) for name, value in made.items()}


def _own(value: Any) -> Any:
    """An output as it is sent: a sequence is a list of arrays."""
    return [np.asarray(item) for item in value] if isinstance(value, list) else np.asarray(value)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of libraries, about what models hold
    nodes = HostNodes()
    serve({"open": nodes.open, "run": nodes.run})

"""Computes outputs of a text by the reference interpreter, which knows nothing of how programs are made."""

# Loaded by path, in the process that computes golden values.
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation, SSAValue

from compiler.frontend.text.parsing import parse_text
from compiler.frontend.text.signature import signature_of
from compiler.interpreter.host.run import run_function
from emu.errors import CompileError

Runner = Callable[[dict[str, np.ndarray]], Sequence[np.ndarray]]


class Refused(Exception):
    """The text or the request cannot be computed; the text says why."""


class _Kept(Interpreter.Listener):
    """The values that are asked for, by name."""

    def __init__(self, names: Mapping[SSAValue, str]) -> None:
        self._names, self.found = names, dict[str, np.ndarray]()

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        """Some may be what it has made."""
        for value, made in zip(op.results, results, strict=True):
            if value in self._names:
                self.found[self._names[value]] = made


def _interpreted(
    path: Path, tensors: Sequence[str], shapes: Mapping[str, tuple[int, ...]], edit: Any = None
) -> tuple[str, Runner]:
    """Who computes `tensors` of a text, and what computes them."""
    try:
        text = parse_text(path.read_bytes(), str(path))
        signature = signature_of(text)
    except (CompileError, OSError) as error:
        raise Refused(str(error)) from None
    inner = {value: name for value, name in signature.tensors(text).items() if name in tensors}
    unknown = [name for name in tensors if name not in (*signature.outputs, *inner.values())]
    if unknown:
        raise Refused(f"{path} has no value called '{unknown[0]}'")

    kept = _Kept(inner)

    def run(feeds: dict[str, np.ndarray]) -> Sequence[np.ndarray]:
        try:
            arrays = [feeds[name] for name in signature.inputs]
            made = run_function(signature.function, text.module, arrays, text.blobs, [kept])
        except CompileError as error:
            raise Refused(f"{path}: {error}") from None
        values = kept.found | dict(zip(signature.outputs, made, strict=True))
        return [values[name] for name in tensors]

    return f"interpreter of MLIR (NumPy {np.__version__})", run


# It answers to the names of all evaluators, one of which is what commands use where none is named.
SOURCES = {"onnxruntime": _interpreted, "reference": _interpreted}

"""Who computes host nodes: onnxruntime, else onnx's own reference where that is not known to be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from compiler.evaluation import SOURCES, Refused, Runner

Shape = tuple[int, ...]


def evaluator(model: Path, outputs: Sequence[str], shapes: Mapping[str, Shape]) -> tuple[str, Runner]:
    """Its name, and what computes `outputs` of an ONNX file from arrays by name, in this process, on one thread.

    `shapes` are those of the inputs, as far as they are fixed. Raises Refused, with the reasons of all, if nobody can.
    """
    reasons: list[str] = []
    for source in SOURCES.values():
        try:
            return source(model, outputs, shapes)
        except Refused as error:
            reasons.append(str(error))
    raise Refused("; ".join(dict.fromkeys(reasons)))

"""Puts default inputs and their golden outputs into an image while it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from emu.image.manifest import Manifest
from launch.golden import compute_golden
from launch.npz import write_npz
from launch.samples import seeded_inputs

if TYPE_CHECKING:
    from emu.image.writer import ImageWriter

Finish = Callable[["ImageWriter", Manifest], Manifest]
INPUTS, GOLDEN = "inputs.npz", "golden.npz"


def attach_golden(model: Path, source: str = "onnxruntime", seed: int = 0, samples: int = 1) -> Finish:
    """A hook for the compiler's `finish`: adds seeded inputs and, unless `source` is "none", golden outputs.

    `model` is the ONNX file that is compiled. The hook raises GoldenError if the evaluator refuses it.
    """

    def finish(writer: ImageWriter, manifest: Manifest) -> Manifest:
        inputs = seeded_inputs(manifest.inputs, seed, samples)
        write_npz(writer.add_file(INPUTS), inputs)
        manifest = replace(manifest, default_input=INPUTS)
        if source == "none":
            return manifest
        golden = compute_golden(model, source, inputs, [spec.name for spec in manifest.outputs])
        write_npz(writer.add_file(GOLDEN), golden.tensors)
        return replace(manifest, golden=GOLDEN, golden_source=golden.source)

    return finish

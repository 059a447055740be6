"""Adds default inputs and their golden outputs to an image while it is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from emu.errors import InputError
from emu.image.manifest import Manifest
from emu.image.npz import write_npz
from launch.golden.values import caches_of, compute_golden
from launch.samples.inputs import seeded_inputs

if TYPE_CHECKING:
    from emu.image.writer import ImageWriter

MAX_INPUTS = 1 << 30  # bytes of all stored inputs
MIN_SAMPLE = 1 << 10  # bytes that a sample counts at least: small ones take time
INPUTS, GOLDEN = "inputs.npz", "golden.npz"


@dataclass(slots=True)
class AttachGolden:
    """A hook for the compiler's `finish`: adds seeded inputs and, unless `source` is "none", golden outputs.

    `model` is the ONNX file that is compiled. Called, it raises GoldenError if the evaluator refuses the file;
    afterwards `computed` says who computed the golden outputs ("" if nobody).
    """

    model: str | Path
    source: str = "onnxruntime"
    seed: int = 0
    samples: int = 1
    computed: str = ""

    def __call__(self, writer: ImageWriter, manifest: Manifest) -> Manifest:
        """Write the files; returns the manifest that lists them."""
        size = max(MIN_SAMPLE, sum(spec.nbytes for spec in manifest.inputs))
        if self.samples > max(1, MAX_INPUTS // size):
            raise InputError(
                f"{self.samples} samples are too many to store: at most {max(1, MAX_INPUTS // size)} of this network, "
                "give more when it runs"
            )
        inputs = seeded_inputs(manifest.inputs, self.seed, self.samples)
        with writer.add_file(INPUTS) as file:
            write_npz(file, inputs)
        stored = {"seed": str(self.seed), "samples": str(self.samples)}
        manifest = replace(manifest, default_input=INPUTS, options=manifest.options | stored)
        if self.source == "none":
            return manifest
        names, caches = [spec.name for spec in manifest.outputs], caches_of(manifest)
        golden = compute_golden(Path(self.model), self.source, inputs, names, caches=caches)
        with writer.add_file(GOLDEN) as file:
            write_npz(file, golden.arrays)
        self.computed = golden.source
        return replace(manifest, golden=GOLDEN, golden_source=golden.source)

"""Runs a flow on samples, and compares what it makes with golden values."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from emu.errors import InputError
from emu.image.npz import Archive, write_npz
from emu.interop.mop.checker import chip_for
from emu.interop.mop.chip import MopChip
from emu.interop.mop.lowering import lower_flow
from emu.interop.mop.parser import read_flow
from emu.interop.mop.running import FlowCore
from emu.output.whole_file import WholeFile
from emu.wording import counted
from launch.golden.verdict import GoldenVerdict, compare_all
from launch.mop.files import GOLDEN, INPUTS, WEIGHTS, beside, specs_of
from launch.samples.input_values import named_inputs
from launch.samples.inputs import each_sample, load_inputs, load_outputs, sample_count


@dataclass(frozen=True, slots=True)
class FlowRun:
    """A flow that was run; `verdict` None: there was nothing to compare it with."""

    file: Path
    chip: MopChip
    samples: int
    outputs: Mapping[str, np.ndarray]
    verdict: GoldenVerdict | None
    saved: Path | None
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether nothing differs from golden values."""
        return self.verdict is None or self.verdict.passed

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            "file": str(self.file),
            "arch": self.chip.name,
            "mode": self.chip.mode,
            "samples": self.samples,
            "passed": self.passed if self.verdict else None,
            "comparison": self.verdict.to_dict() if self.verdict else None,
            "saved": str(self.saved) if self.saved else None,
            "seconds": round(self.seconds, 3),
        }

    def lines(self) -> list[str]:
        """Lines for people."""
        verdict = (
            [str(tensor) for tensor in self.verdict.tensors] if self.verdict else ["not compared: no golden values"]
        )
        size = f"{counted(self.samples, 'sample')}, chip {self.chip.name} (mode {self.chip.mode}), {self.seconds:.2f} s"
        return [*verdict, f"{self.file}: {size}"]


def run_file(
    file: Path,
    *,
    arch: MopChip | None,
    weights: Path | None,
    inputs: Path | None,
    values: Sequence[tuple[str, str]] = (),
    golden: Path | None,
    compares: bool = True,
    save: Path | None,
    tolerance: float | None,
) -> FlowRun:
    """Run a flow on all samples of `inputs`, or on `values` (name, text); files that are not given stand beside it.

    Nothing is compared without `compares`. Raises EmuErrors.
    """
    began, flow = time.monotonic(), read_flow(file)
    chip, header = chip_for(flow, arch), flow.header
    if not header.outputs:
        raise InputError(f"{file} declares no output: add a line //@ output, so that there is something to see")
    samples: dict[str, np.ndarray] = {}
    if values:
        samples = named_inputs(values, specs_of(header.inputs))
    elif header.inputs:
        samples = load_inputs(beside(file, INPUTS, inputs), specs_of(header.inputs))
    with Archive(beside(file, WEIGHTS, weights)) as arrays:
        core = FlowCore(lower_flow(flow, chip, arrays, str(file)))
    made = [core.run(sample) for sample in each_sample(samples)]
    outputs = {tensor.name: np.stack([sample[tensor.name] for sample in made]) for tensor in header.outputs}
    is_stored = inputs is None and not values and (file.parent / GOLDEN).is_file()
    stored = golden or (file.parent / GOLDEN if is_stored else None)
    verdict = None
    if stored is not None and compares:
        wanted = load_outputs(stored, specs_of(header.outputs))
        verdict = compare_all(outputs, wanted, str(stored), tolerance)
    if save is not None:
        with WholeFile(save) as stream:
            write_npz(stream, outputs)
    return FlowRun(file, chip, sample_count(samples), outputs, verdict, save, time.monotonic() - began)

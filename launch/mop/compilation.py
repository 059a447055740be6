"""From a network to a folder with its flow, stored inputs and golden outputs, checked as it stands there."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from emu.arch.read import load_arch
from emu.errors import InputError, ProgramError
from emu.image.npz import write_npz
from emu.interop.mop.checker import FlowVerdict, check_flow, told
from emu.interop.mop.chip import chip_of
from emu.interop.mop.parser import read_flow
from emu.interop.mop.printer import print_flow
from emu.wording import counted
from launch.golden.values import compute_golden
from launch.mop.files import FLOW, GOLDEN, INPUTS, WEIGHTS, new_folder, specs_of
from launch.samples.inputs import seeded_inputs
from launch.system.memory import rare_collections

NONE = "none"


@dataclass(frozen=True, slots=True)
class FlowReport:
    """A flow that was written; `golden` says who computed the outputs, "" if nobody."""

    model: Path
    out: Path
    check: FlowVerdict
    products: int
    segments: int
    copies: Mapping[str, int]  # by node
    nbytes: int
    golden: str
    warnings: Sequence[str]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            "model": str(self.model),
            "out": str(self.out),
            "arch": self.check.chip.name,
            "mode": self.check.chip.mode,
            "operators": self.check.operators,
            "blocks": self.check.blocks,
            "products": self.products,
            "segments": self.segments,
            "copies": dict(self.copies),
            "bytes": self.nbytes,
            "golden": self.golden or None,
            "warnings": list(self.warnings),
            "seconds": round(self.seconds, 3),
        }

    def line(self) -> str:
        """One line for people."""
        chip = self.check.chip
        segments = f" in {counted(self.segments, 'segment')}" if self.segments > 1 else ""
        return (
            f"{self.model} -> {self.out / FLOW}: {counted(self.check.operators, 'operator')} for {chip.name} (mode"
            f" {chip.mode}), {counted(self.products, 'product')}{segments}, golden {self.golden or 'none'},"
            f" {self.seconds:.1f} s"
        )


@rare_collections()
def compile_flow(
    model: Path,
    out: Path,
    *,
    arch: str,
    cores: int | None,
    shapes: Sequence[tuple[str, tuple[int, ...]]],
    golden: str,
    seed: int,
    samples: int,
) -> FlowReport:
    """Write the flow of `model` into the folder `out`; raises EmuErrors. `cores` None: all that the chip has."""
    from compiler.mop.emit import PIPELINE, emit_flow
    from compiler.request import make_request

    began, description = time.monotonic(), load_arch(arch)
    cores = cores or description.cores
    request = make_request(model, description, cores=cores, shapes=shapes, pipeline=",".join(PIPELINE))
    description = replace(description, cores=cores)
    request = replace(request, arch=description)
    emitted = emit_flow(request)
    header = emitted.flow.header
    with new_folder(out) as folder:
        with folder.file(FLOW) as file:
            file.writelines(line.encode() for line in print_flow(emitted.flow))
        report = check_flow(read_flow(folder.hidden / FLOW), chip_of(description))
        if not report.passed:
            raise ProgramError(f"the flow that was made is wrong: {told(FLOW, report)[0]}")
        nbytes = (folder.hidden / FLOW).stat().st_size
        with folder.file(WEIGHTS) as file:
            write_npz(file, emitted.arrays)
        inputs = seeded_inputs(specs_of(header.inputs), seed, samples)
        with folder.file(INPUTS) as file:
            write_npz(file, inputs)
        source = ""
        if golden != NONE:
            if not header.outputs:
                raise InputError(f"{model} has no outputs to compute golden values of")
            found = compute_golden(model, golden, inputs, [tensor.name for tensor in header.outputs])
            source = found.source
            with folder.file(GOLDEN) as file:
                write_npz(file, found.tensors)
        folder.put_in_place()
    mapped = [product for segment in emitted.mapped for product in segment]
    copies = {product.product.node: product.copies for product in mapped}
    took = time.monotonic() - began
    return FlowReport(
        model, out, report, len(mapped), len(emitted.mapped), copies, nbytes, source, emitted.warnings, took
    )

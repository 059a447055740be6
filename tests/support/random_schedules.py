"""Random networks under random schedules: equal to onnxruntime, proved and timed, or refused in one sentence.

`python -m random_schedules --count N --seed S` checks so many, prints what came of them, and ends with 1 if anything
was not as it must be; `--only K` checks case K of them alone, `--reduce` the smallest that goes wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import campaigns
import integer_nets
import numpy as np
from campaigns import Tally
from hypothesis import strategies as st
from in_process import check_compiled, compile_in_memory, golden, run_in_process
from onnx import ModelProto
from onnx_nets import conv_nets
from random_graphs import Case, random_graphs
from random_networks import beside
from timed_results import everything

from compiler.mapping.schedules.duplication import CHOICES
from compiler.mapping.tiling.partition import STRATEGIES
from compiler.passes import SCHEMES
from emu.arch.chip import BINDINGS, MAX_CORES, Arch
from emu.arch.mode import MODES
from emu.arch.read import load_arch
from emu.arch.system import CONNECTIONS, System
from emu.errors import EmuError
from emu.noc.ports.port import FlowControl
from emu.timing.executor.step import step
from emu.timing.fast.fast import fast
from emu.timing.prepare import prepare

CHIPS = ("puma", "isaac", "cim-mlc-isaac", "pimsim-latency")  # whose times are known, each with a model of its own
SIZES = (16, 9, 5, 33, 64)  # of crossbars
OPTIONS: Mapping[str, st.SearchStrategy[Any]] = {  # of a compilation, by name
    "cores": st.integers(2, 24),
    "packing": st.sampled_from(["dense", "kernel"]),
    "placement": st.sampled_from(list(STRATEGIES)),
    "granularity": st.sampled_from(["image", "rows:1", "rows:2", "rows:3", "auto"]),
    "segments": st.booleans(),
    "products": st.sampled_from(["constant", "all"]),
    "lowering": st.sampled_from([*["channel"] * 6, *SCHEMES]),
    "duplicate": st.sampled_from([None, *CHOICES]),
    "pipelined": st.booleans(),
    "stagger": st.booleans(),
    "remap_rows": st.booleans(),
    "arrange": st.sampled_from([None, None, "traffic", "cut"]),
    "chips": st.sampled_from([None, None, None, "2", "4", "7", "auto"]),
}
CONTROLS = {"stagger": "crossbars", "remap_rows": "rows"}  # what they take of the mode of a chip
FLOWS = st.sampled_from(["rendezvous", "credits:1", "credits:4"])
LAYERS = (  # of graphs of any rank: what multiplies, what follows a product, pieces of attention, quantisation
    *("Conv", "ConvTranspose", "MatMul", "Gemm", "MaxPool", "AveragePool", "GlobalAveragePool", "Relu", "Add", "Mul"),
    *("Concat", "Pad", "Split", "Softmax", "Transpose", "Reshape", "Flatten", "LayerNormalization", "Gelu"),
    *("QuantizeLinear", "DequantizeLinear", "MatMulInteger", "BatchNormalization", "Einsum", "Slice", "LSTM"),
)
HIGH = 40  # rows of an image, enough that parts of it are worth a message
FITS, LITTLE = (4096, 256, 64), (2, 4, 1)  # crossbars of float32 weights in a core, without segments and with
MEMORIES = st.sampled_from([64 << 20] * 5 + [1 << 20, 64 << 10])


@dataclass(frozen=True)
class Schedule:
    """How a network is compiled for which chip, and how it runs; `step`: by the reference engine and executor, too."""

    chip: Arch
    options: Mapping[str, Any]
    flow: str
    step: bool

    def __repr__(self) -> str:
        chip = self.chip
        given = " ".join(f"{name}={value}" for name, value in self.options.items())
        parts = f"{chip.core} {chip.crossbar} {chip.cores} cores {chip.system}"
        return f"{given} flow={self.flow} step={self.step} on {chip.name} {chip.mode} {parts}"


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Any combination of options, on a chip with crossbars that are small, and few where weights may be written."""
    options = {name: draw(values) for name, values in OPTIONS.items()}
    little = options["segments"] and draw(st.integers(0, 3)) > 0  # else most networks fit, and are left as they are
    if little:
        options["cores"] = draw(st.integers(1, 4))
    arch = load_preset(draw(st.sampled_from(CHIPS)))
    rows, cols = (draw(st.sampled_from(SIZES[: 3 if little else None])) for _ in range(2))
    crossbar = replace(
        arch.crossbar,
        rows=rows,
        cols=cols,
        cell_bits=draw(st.sampled_from([0, 0, 2])),
        weight_binding=draw(st.sampled_from(BINDINGS)),
        parallel_rows=draw(st.sampled_from([None, 1, 4, rows])),
        dac_count=rows,
        adc_count=1,
    )
    controls = {control for name, control in CONTROLS.items() if options[name] and draw(st.integers(0, 9)) < 9}
    modes = [mode for mode, parts in MODES.items() if controls <= {*parts}]
    arch = replace(arch, crossbar=crossbar, mode=draw(st.sampled_from(modes)))
    cells = arch.arrays(arch.slices(32))
    count = draw(st.sampled_from(LITTLE if little else FITS))
    core = replace(arch.core, crossbars=count * cells, crossbars_per_mvmu=None, local_memory=draw(MEMORIES))
    arch = replace(arch, core=core)
    if options["chips"] is not None:
        arch = draw(small_chips(arch))
        most = MAX_CORES if options["chips"] == "auto" else arch.cores * int(options["chips"])
        options["cores"] = draw(st.sampled_from([None, min(most, options["cores"])]))
    return Schedule(arch, options, draw(FLOWS), draw(st.integers(0, 3)) == 3)


@st.composite
def small_chips(draw: st.DrawFn, arch: Arch) -> Arch:
    """Chips of few cores, and what connects several."""
    cores = draw(st.integers(1, 6))
    link = replace(
        arch.timing.chip_link,
        latency_ns=draw(st.sampled_from([None, 10.0, 250.0])),
        bandwidth_gb_per_s=draw(st.sampled_from([None, 0.5, 6.4])),
    )
    return replace(
        arch,
        cores=cores,
        cores_per_cluster=None,
        network=replace(arch.network, width=draw(st.integers(1, cores))),
        system=System(topology=draw(st.sampled_from(CONNECTIONS))),
        timing=replace(arch.timing, chip_link=link),
    )


@cache
def load_preset(name: str) -> Arch:
    """A preset, read once."""
    return load_arch(name)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A network with an input and its golden outputs: of convolutions, of integers, or of operators in any order."""
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return draw(random_graphs(LAYERS))
    if kind == 6:
        return draw(beside())
    if kind == 1:
        model = draw(integer_nets.integer_nets())
        sample = {"x": np.random.default_rng(0).integers(-128, 128, input_shape(model)).astype(np.int8)}
        return Case(model, sample, integer_nets.golden(model, sample))
    model = draw(conv_nets(draw(st.sampled_from([9, HIGH]))))
    sample = {"x": np.random.default_rng(0).standard_normal(input_shape(model)).astype(np.float32)}
    return Case(model, sample, golden(model, sample))


def input_shape(model: ModelProto) -> list[int]:
    """The shape of the only input."""
    return [size.dim_value for size in model.graph.input[0].type.tensor_type.shape.dim]


def check(case: Case, schedule: Schedule) -> str:
    """Why the compiler refuses, or nothing; raises AssertionError, or what was raised, if anything is wrong."""
    try:
        compiled = compile_in_memory(case.model, schedule.chip, **schedule.options)
    except EmuError as error:
        sentence = str(error)
        assert error.exit_code == 2 and "\n" not in sentence and 20 < len(sentence) < 1000, sentence
        return sentence
    report = check_compiled(compiled)
    assert report.proved, [f"{verdict.title}: {verdict.detail}" for verdict in report.verdicts if verdict.detail]
    samples = [case.sample] * 2  # the second one finds what the first one has left behind
    found = run_in_process(compiled, samples, "batch", schedule.flow)
    for outputs in found:
        case.assert_close(outputs)
    setup = prepare(compiled.programs, compiled.arch, FlowControl.parse(schedule.flow), len(samples))
    timing = fast(setup, len(samples))
    if schedule.step:
        assert everything(timing) == everything(step(setup, len(samples)))
        check_same_bits(found, run_in_process(compiled, samples, "step", schedule.flow))
    return ""


def check_same_bits(found: list[dict[str, np.ndarray]], stepped: list[dict[str, np.ndarray]]) -> None:
    """Both engines make the same bits."""
    for left, right in zip(found, stepped, strict=True):
        for name, array in left.items():
            assert array.tobytes() == right[name].tobytes(), name


def campaign(count: int, number: int, only: int | None = None, shrink: bool = False) -> Tally:
    """So many cases under schedules, as `campaigns.campaign` checks them."""
    return campaigns.campaign(cases(), schedules(), check, count, number, only, shrink)


if __name__ == "__main__":
    sys.exit(campaigns.main(campaign, __doc__))

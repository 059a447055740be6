"""A row about traces: what a run costs more while it is recorded."""

from __future__ import annotations

from launch.bench.clock import interleaved, seconds
from launch.bench.measurement import RowMeasurement
from launch.bench.processes import cpu_seconds
from launch.bench.row import BenchRow, at_most
from launch.bench.speed import TIMEOUT, WARM_UP
from launch.bench.workshop import Workshop, stored_inputs
from launch.chips.power import ProcessChip, power_on
from launch.tracing.recording import TraceRecording


def while_tracing(work: Workshop, network: str, cores: int) -> RowMeasurement:
    """Milliseconds of one image on a chip whose run is recorded, against one whose run is not."""
    image, runs = work.image(network, cores), work.settings.pairs
    inputs = stored_inputs(image)
    recording = TraceRecording(work.folder / f"{network}.pftrace")
    with (
        power_on(image, cores=cores, timeout=TIMEOUT) as plain,
        power_on(image, cores=cores, timeout=TIMEOUT, observers=[recording]) as traced,
    ):
        chips = (traced, plain)
        for chip in chips * WARM_UP:
            chip.run(inputs)
        spent = [_processor_seconds(chip) for chip in chips]
        ours, base = interleaved(
            lambda: seconds(lambda: traced.run(inputs)), lambda: seconds(lambda: plain.run(inputs)), runs
        )
        spent = [_processor_seconds(chip) - before for chip, before in zip(chips, spent, strict=True)]
        events = traced.observed["trace"]["events"]
    processor = f"{spent[0] / spent[1]:.3g} times the processor time of all cores, " if spent[1] else ""
    note = f"{cores} processes each; {processor}{events} events; medians of {runs}, one image each in turns"
    return RowMeasurement(
        ours=ours * 1e3,
        baseline=base * 1e3,
        unit="ms",
        against="the same without --trace",
        note=note,
        details={"processor_seconds": spent, "events": events},
    )


def _processor_seconds(chip: ProcessChip) -> float:
    return sum(cpu_seconds(process) for name, process in chip.processes.items() if name.startswith("core"))


ROWS = tuple(
    BenchRow(
        f"{network}-traced",
        f"{network}, 64 processes, warm, latency of one image while `--trace` records",
        while_tracing,
        {"network": network, "cores": 64},
        **at_most(1.1),
    )
    for network in ("resnet18", "lstm_net")
)

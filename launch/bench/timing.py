"""Rows about `emu time`: whole commands, the fast executor alone, growth with the image, programs of pimsim-nn."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from emu.arch.read import load_arch
from launch.bench.clock import seconds
from launch.bench.command import run_emu
from launch.bench.measurement import RowMeasurement
from launch.bench.pimsim_program import write_chip, write_pimcomp_style
from launch.bench.probe import Probed, probe
from launch.bench.row import BenchRow, at_most, within
from launch.bench.workshop import Workshop

PRESET, CROSSBARS = "puma", 512  # in a core: weights of 64 crossbars of the default chip, in slices of 2 bits
QUICK_ROUNDS = 20


def time_command(work: Workshop, network: str, cores: int) -> RowMeasurement:
    """Seconds of a whole `emu time`."""
    image, chip, runs = work.image(network, cores), _chip(work), work.settings.few
    passed = statistics.median(run_emu("time", image, "--arch", chip).seconds for _ in range(runs))
    note = f"whole command, on {PRESET} with {CROSSBARS} crossbars in a core; median of {runs}; absolute target only"
    return RowMeasurement(ours=passed, baseline=None, unit="s", note=note)


def fast_executor(work: Workshop, network: str, cores: int, window: int) -> RowMeasurement:
    """Milliseconds of the fast executor for one sample of programs whose costs are known."""
    runs, chip = work.settings.pairs, _chip(work)
    found = probe(run_fast, image=work.image(network, cores), chip=chip, window=window, runs=runs).result
    note = (
        f"one sample, warm, without reading the programs and their costs ({found['all'] * 1e3:.3g} ms for the"
        f" {found['samples']} samples of `emu time`); median of {runs}; absolute target only"
    )
    return RowMeasurement(ours=found["one"] * 1e3, baseline=None, unit="ms", note=note, details=found)


def run_fast(image: str, chip: str, window: int, runs: int) -> dict[str, float]:
    """Median seconds of the executor alone, for one sample and for as many as `emu time` takes."""
    from emu.arch.derived import derived
    from emu.noc.ports.port import FlowControl
    from emu.timing.fast.fast import fast
    from emu.timing.prepare import prepare
    from launch.timing.timed_image import SAMPLES, read_programs

    _, programs = read_programs(Path(image))
    setup = prepare(programs, derived(load_arch(chip), {"timing.window": window}), FlowControl())

    def median(samples: int) -> float:
        return statistics.median(seconds(lambda: fast(setup, samples)) for _ in range(runs))

    fast(setup)
    return {"one": median(1), "all": median(SAMPLES), "samples": SAMPLES}


def time_growth(work: Workshop, depth: int, channels: int, sizes: list[int]) -> RowMeasurement:
    """`emu time` of the same network for a large image against a small one, without the start of the interpreter."""
    cores, runs, chip = 64, work.settings.pairs, _chip(work)
    images = [work.image(f"chain-{depth}-{channels}-{size}", cores) for size in sizes]
    found = probe(time_both, images=list(map(str, images)), chip=chip, runs=runs).result
    return RowMeasurement(
        ours=found["large"] * 1e3,
        baseline=found["small"] * 1e3,
        unit="ms",
        against=f"the same on {sizes[0]} x {sizes[0]} pixels",
        note=(
            f"{depth} convolutions of {channels} channels on {sizes[1]} x {sizes[1]} pixels, whole images from core to"
            f" core: read, timed and summed up, warm; medians of {runs}, in turns"
        ),
    )


def time_both(images: list[str], chip: str, runs: int) -> dict[str, float]:
    """Median seconds of the figures of two images."""
    from launch.bench.clock import interleaved
    from launch.timing.image import image_figures
    from launch.timing.options import TimeOptions

    options = TimeOptions(arch=chip)
    small, large = (lambda path=Path(image): seconds(lambda: image_figures(path, options)) for image in images)
    small(), large()
    theirs, ours = interleaved(small, large, runs)
    return {"small": theirs, "large": ours}


def pimsim(work: Workshop, cores: int, rounds: int, what: str) -> RowMeasurement:
    """A long program of pimsim-nn: seconds to read it, seconds to time it, or the most memory of both."""
    rounds = QUICK_ROUNDS if work.settings.quick else rounds
    probed: Probed = work.once(f"pimsim {cores} {rounds}", lambda: _pimsim(work, cores, rounds))
    values = {"read": probed.result["read"], "time": probed.result["time"], "memory": probed.peak_bytes / 1e6}
    note = (
        f"{probed.result['instructions']:,} instructions for {cores} cores, one JSON file in gzip; one run; absolute"
        " target only"
    )
    return RowMeasurement(ours=values[what], baseline=None, unit="MB" if what == "memory" else "s", note=note)


def _pimsim(work: Workshop, cores: int, rounds: int) -> Probed:
    program, chip = work.folder / "pimcomp.json.gz", work.folder / "pimsim.json"
    write_chip(chip, cores)
    probe(write_pimsim, program=program, cores=cores, rounds=rounds)
    found = probe(read_and_time, program=program, chip=chip)
    program.unlink()
    return found


def write_pimsim(program: str, cores: int, rounds: int) -> None:
    """Write the program."""
    write_pimcomp_style(Path(program), cores, rounds)


def read_and_time(program: str, chip: str) -> dict[str, Any]:
    """Seconds of reading a program and of timing it, as `emu time` does both."""
    from emu.interop.pim_isa.format.config_keys import read_chip
    from emu.interop.pim_isa.format.reader import read_program
    from emu.interop.pim_isa.timing.energy import priced
    from emu.interop.pim_isa.timing.setup import SIMULATORS, set_up
    from emu.interop.pim_isa.timing.time_program import EXECUTORS

    found: dict[str, Any] = {}

    def read() -> None:
        found["program"], found["chip"] = read_program(Path(program)), read_chip(Path(chip))

    def timed() -> None:
        described = found["chip"]
        run = EXECUTORS["auto"](set_up(found["program"], described, SIMULATORS["upstream"]))
        priced(run, described.config.chip_config, described.network)

    return {"read": seconds(read), "time": seconds(timed), "instructions": found["program"].instructions}


def _chip(work: Workshop) -> Path:
    """A chip with all figures that holds the networks."""
    return work.once("chip with figures", lambda: _write_large(work.folder / f"large-{PRESET}.toml"))


def _write_large(path: Path) -> Path:
    from emu.arch.derived import derived
    from emu.arch.write import arch_to_toml

    path.write_text(arch_to_toml(derived(load_arch(PRESET), {"core.crossbars": CROSSBARS})), "utf-8")
    return path


def _network_rows(network: str, cores: int, limit_s: float, limit_ms: float) -> Iterator[BenchRow]:
    arguments = {"network": network, "cores": cores}
    title = f"`emu time` of {network} on {cores} cores"
    yield BenchRow(f"{network}-time", title, time_command, arguments, **within("s", limit_s))
    for window in (1, 4):
        yield BenchRow(
            f"{network}-time-window-{window}",
            f"fast executor alone, one sample of {network} on {cores} cores, window {window}",
            fast_executor,
            {**arguments, "window": window},
            **within("ms", limit_ms),
        )


ROWS = (
    *_network_rows("resnet18", 64, 1, 50),
    *_network_rows("vgg16", 160, 3, 150),
    BenchRow(
        "time-growth",
        "`emu time` with the size of the image",
        time_growth,
        {"depth": 8, "channels": 32, "sizes": [56, 224]},
        **at_most(1.2),
    ),
    *(
        BenchRow(
            f"pimsim-{what}",
            f"a program of pimsim-nn of three million instructions, {title}",
            pimsim,
            {"cores": 44, "rounds": 1897, "what": what},  # a ResNet-18 of PIMCOMP's
            **within(unit, limit),
        )
        for what, title, unit, limit in (
            ("read", "read", "s", 20),
            ("time", "timed", "s", 10),
            ("memory", "peak memory", "MB", 1500),
        )
    ),
)

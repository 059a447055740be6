"""The rows of the benchmark, in the order in which they are printed; a new row is one entry here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from emu.errors import EmuError, InputError
from launch.bench import compiling, device, engines, growth, host_programs, machines, network, speed, timing, tracing
from launch.bench.measurement import BenchGoal, RowMeasurement, RowOutcome
from launch.bench.workshop import Workshop

Measure = Callable[..., RowMeasurement]
CORE_COUNTS = (1, 4, 16, 64, 256)
GROWTH = {"depths": [2, 8, 32, 128], "channels": 256, "size": 8, "cores": 128}  # 36 crossbars per further convolution
PIXELS = {"depth": 8, "channels": 32, "sizes": [56, 224]}
PIMSIM = {"cores": 44, "rounds": 1897}  # a ResNet-18 of PIMCOMP's
TEXT = {"depth": 8, "channels": 64, "size": 32}
IMAGE_SIZE = {"depth": 8, "channels": 32, "sizes": [28, 224]}


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRow:
    """`function`, called with a workshop and `arguments`, gives the measurement."""

    name: str
    title: str
    function: Measure
    arguments: Mapping[str, Any] = field(default_factory=dict)
    target: BenchGoal | None = None
    moonshot: BenchGoal | None = None

    def measure(self, work: Workshop) -> RowOutcome:
        """Measure; an error becomes part of the outcome, so that the other rows go on."""
        measured, error = None, ""
        try:
            measured = self.function(work, **self.arguments)
        except EmuError as failure:
            error = str(failure)
        except Exception as failure:
            error = f"internal error ({type(failure).__name__}: {failure})"
        return RowOutcome(self.name, self.title, self.target, self.moonshot, measured, error)


def _at_most(ratio: float) -> BenchGoal:
    return BenchGoal("<=", ratio)


def _at_least(ratio: float) -> BenchGoal:
    return BenchGoal(">=", ratio)


def _ours(value: float, unit: str) -> BenchGoal:
    return BenchGoal("<=", value, "ours", unit)


def _latency(network: str, cores: int, target: float, moonshot: float) -> BenchRow:
    return BenchRow(
        name=f"{network}-latency",
        title=f"{network}, {cores} processes, warm, latency of one image",
        function=speed.latency,
        arguments={"network": network, "cores": cores},
        target=_at_most(target),
        moonshot=_at_most(moonshot),
    )


def _compiling(network: str, cores: int, seconds: float, megabytes: float) -> list[BenchRow]:
    arguments = {"network": network, "cores": cores}
    return [
        BenchRow(
            name=f"{network}-compile-{what}",
            title=f"`emu compile` of {network} for {cores} cores, {title}",
            function=function,
            arguments=arguments,
            target=_ours(limit, unit),
        )
        for what, title, limit, unit, function in (
            ("time", "wall time", seconds, "s", compiling.compile_time),
            ("memory", "peak memory", megabytes, "MB", compiling.compile_memory),
        )
    ]


def _series(name: str, title: str, function: Measure, arguments: Mapping[str, Any], limit: float) -> list[BenchRow]:
    return [
        BenchRow(
            name=f"{name}-{short}",
            title=f"{quantity} {title}",
            function=function,
            arguments={**arguments, "what": what},
            target=_at_most(limit),
        )
        for short, quantity, what in (("time", "compile time", "seconds"), ("memory", "compile memory", "peak_bytes"))
    ]


def _timing(network: str, cores: int, limit_s: float, limit_ms: float) -> list[BenchRow]:
    arguments = {"network": network, "cores": cores}
    return [
        BenchRow(
            name=f"{network}-time",
            title=f"`emu time` of {network} on {cores} cores",
            function=timing.time_command,
            arguments=arguments,
            target=_ours(limit_s, "s"),
        ),
        *(
            BenchRow(
                name=f"{network}-time-window-{window}",
                title=f"fast executor alone, one sample of {network} on {cores} cores, window {window}",
                function=timing.fast_executor,
                arguments={**arguments, "window": window},
                target=_ours(limit_ms, "ms"),
            )
            for window in (1, 4)
        ),
    ]


def _pimsim() -> list[BenchRow]:
    return [
        BenchRow(
            name=f"pimsim-{what}",
            title=f"a program of pimsim-nn of three million instructions, {title}",
            function=timing.pimsim,
            arguments={**PIMSIM, "what": what},
            target=_ours(limit, unit),
        )
        for what, title, limit, unit in (
            ("read", "read", 20, "s"),
            ("time", "timed", 10, "s"),
            ("memory", "peak memory", 1500, "MB"),
        )
    ]


ROWS: tuple[BenchRow, ...] = (
    _latency("resnet18", 64, 2.7, 2),
    BenchRow(
        name="resnet18-pipelined",
        title="resnet18, 64 processes, pipelined, time per image",
        function=speed.pipelined,
        arguments={"network": "resnet18", "cores": 64, "repeat": 32},
        target=_at_most(1.7),
        moonshot=_at_most(1.3),
    ),
    BenchRow(
        name="resnet18-cold",
        title="resnet18: `emu launch` to verdict, cold processes, page cache warm",
        function=speed.cold,
        arguments={"network": "resnet18", "cores": 64},
        target=_ours(2.5, "s"),
        moonshot=_ours(1.2, "s"),
    ),
    _latency("vgg16", 160, 2.2, 1.7),
    _latency("mobilenet_v2", 64, 6, 4),
    _latency("vit_tiny", 64, 4, 2.5),
    _latency("bert_mini", 64, 4, 2.5),
    _latency("gpt_tiny", 64, 5, 3),
    _latency("unet", 64, 3.5, 2.5),
    BenchRow(
        name="lstm_net-latency",
        title="lstm_net (100 steps), 64 processes, warm, latency of one sequence",
        function=speed.latency,
        arguments={"network": "lstm_net", "cores": 64},
        target=_at_most(5),
        moonshot=_at_most(3),
    ),
    BenchRow(
        name="resnet18-int8",
        title="resnet18 in int8 against float32, 64 processes each, warm, latency of one image",
        function=speed.against_float,
        arguments={"network": "resnet18", "form": "qoperator", "cores": 64},
        target=_at_most(0.9),
        moonshot=_at_most(0.7),
    ),
    *(
        BenchRow(
            name=f"{network}-traced",
            title=f"{network}, 64 processes, warm, latency of one image while `--trace` records",
            function=tracing.while_tracing,
            arguments={"network": network, "cores": 64},
            target=_at_most(1.1),
        )
        for network in ("resnet18", "lstm_net")
    ),
    *_compiling("resnet18", 64, 3, 600),
    *_compiling("vit_tiny", 64, 3, 600),
    *_compiling("vgg16", 160, 12, 1600),
    *_series("compile-growth", "with the number of crossbars", compiling.compile_growth, GROWTH, 1.1),
    *_series("compile-image", "with the size of the image", compiling.compile_image_size, IMAGE_SIZE, 1.1),
    *_timing("resnet18", 64, 1, 50),
    *_timing("vgg16", 160, 3, 150),
    BenchRow(
        name="time-growth",
        title="`emu time` with the size of the image",
        function=timing.time_growth,
        arguments=PIXELS,
        target=_at_most(1.2),
    ),
    *_pimsim(),
    BenchRow(
        name="batch-step",
        title="`batch` against `step` on resnet18's first convolution core, both warm and checked",
        function=engines.batch_against_step,
        arguments={"network": "resnet18", "cores": 64, "node": "conv1"},
        target=_at_least(100),
    ),
    *(
        BenchRow(
            name=f"{network}-steady",
            title=f"{network}, one process, kernel for AVX2, one image: `batch` against `fast`",
            function=engines.batch_against_fast,
            arguments={"network": network, "cores": cores, "kernel": "Haswell"},
        )
        for network, cores in (("resnet18", 64), ("bert_mini", 64), ("vgg16", 160))
    ),
    BenchRow(
        name="crossbar-batch",
        title="crossbar kernel, 1000 vectors, best case (one crossbar, contiguous)",
        function=engines.crossbar_kernel,
        arguments={"batch": 1000},
        target=_at_least(0.8),
        moonshot=_at_least(0.95),
    ),
    BenchRow(
        name="crossbar-vector",
        title="crossbar kernel, one vector, best case (one crossbar, contiguous)",
        function=engines.crossbar_kernel,
        arguments={"batch": 0},
        target=_at_least(0.45),
        moonshot=_at_least(0.6),
    ),
    BenchRow(
        name="device-vector",
        title="one vector through a crossbar of a device",
        function=device.one_vector,
        target=_at_most(2),
    ),
    BenchRow(
        name="device-tiles",
        title="256 x 256 x 256 of int8 on a device, in tiles",
        function=device.tiled_product,
        target=_ours(40, "ms"),
    ),
    BenchRow(
        name="device-session",
        title="a session of 10,000 calls, made, recorded, checked and timed",
        function=device.long_session,
        target=_ours(5, "s"),
    ),
    BenchRow(
        name="device-start",
        title="a device of 4 cores, ready",
        function=device.power_on,
        target=_ours(0.5, "s"),
    ),
    BenchRow(
        name="offload-command",
        title="`emu offload` of a product to its verdict",
        function=host_programs.offload_command,
        target=_ours(4, "s"),
    ),
    BenchRow(
        name="host-interpreter",
        title="operations of a host program in tiled loops",
        function=host_programs.interpreter,
        target=BenchGoal(">=", 10_000, "ours", "per second"),
    ),
    BenchRow(
        name="schedule-products",
        title="3,000 products scheduled as soon as possible, by `cinm-to-cim`",
        function=host_programs.schedule,
        target=_ours(2, "s"),
    ),
    BenchRow(
        name="compile-text",
        title="`emu compile` of MLIR text against ONNX",
        function=host_programs.text_against_onnx,
        arguments=TEXT,
        target=_at_most(1),
    ),
    BenchRow(
        name="messages-small",
        title="messages of 64 bytes between two cores",
        function=network.small_messages,
        arguments={"size": 64},
        target=_at_most(1.2),
        moonshot=_at_most(1.05),
    ),
    BenchRow(
        name="messages-large",
        title="messages of 1 MiB between two cores",
        function=network.large_messages,
        arguments={"size": 1 << 20},
        target=_at_least(0.95),
        moonshot=_at_least(1),
    ),
    BenchRow(
        name="idle-launch",
        title="64 cores ready, each with a program that only halts",
        function=network.idle_launch,
        arguments={"cores": 64, "programs": True},
        target=_at_most(1.5),
        moonshot=_at_most(1.2),
    ),
    BenchRow(
        name="join-launch",
        title="64 processes without a program, that only join the barrier",
        function=network.idle_launch,
        arguments={"cores": 64, "programs": False},
    ),
    BenchRow(
        name="idle-memory",
        title="private memory of an idle core, 1024 cores",
        function=network.idle_memory,
        arguments={"cores": 1024},
        target=_ours(4, "MiB"),
    ),
    BenchRow(
        name="hosts-latency",
        title="resnet18, 64 processes on 2 agents, warm, latency of one image",
        function=machines.latency,
        arguments={"network": "resnet18", "cores": 64, "agents": 2},
        target=_at_most(1.3),
    ),
    BenchRow(
        name="hosts-pipelined",
        title="resnet18, 64 processes on 2 agents, pipelined, time per image",
        function=machines.pipelined,
        arguments={"network": "resnet18", "cores": 64, "agents": 2, "repeat": 32},
        target=_at_most(1.1),
    ),
    BenchRow(
        name="hosts-start",
        title="256 cores on 4 agents ready, each with a program that only halts",
        function=machines.start,
        arguments={"cores": 256, "agents": 4},
        target=_at_most(1.5),
    ),
    BenchRow(
        name="agent-memory",
        title="memory of an idle agent",
        function=machines.idle_agent,
        target=_ours(60, "MB"),
    ),
    BenchRow(
        name="image-transfer",
        title="100 MB of an image to 4 agents that have nothing of it",
        function=machines.image_transfer,
        arguments={"agents": 4, "megabytes": 100},
        target=_at_least(0.5),
    ),
    *(
        BenchRow(
            name=f"resnet18-copies-{what}",
            title=f"resnet18 with copies for throughput on the 768 cores of cim-mlc-isaac, {title}",
            function=speed.copies,
            arguments={"network": "resnet18", "arch": "cim-mlc-isaac", "cores": 768, "what": what},
            target=_ours(target, "s"),
            moonshot=_ours(moonshot, "s"),
        )
        for what, title, target, moonshot in (
            ("start", "until all are ready", 7, 4),
            ("first", "the first image", 6, 3),
            ("image", "one image, warm", 6, 3),
        )
    ),
    *(
        BenchRow(
            name=f"{kind}-growth-{over}",
            title=f"processor time of {title} with {of}",
            function=growth.growth,
            arguments={"kind": kind, "over": over, "sizes": sizes},
            target=_at_most(1.2),
        )
        for kind, over, sizes, title, of in (
            ("message", "cores", (64, 512), "a message", "the number of cores"),
            ("message", "samples", (1, 64), "a message", "the number of samples"),
            ("message", "size", (1 << 20, 4 << 20), "a byte in a message", "the size of the message"),
            ("instruction", "cores", (64, 512), "an instruction", "the number of cores"),
            ("instruction", "samples", (1, 64), "an instruction", "the number of samples"),
        )
    ),
    *(
        BenchRow(
            name=f"scaling-{cores}",
            title=f"resnet18 on {cores} core{'' if cores == 1 else 's'} that could each hold all of it, latency",
            function=speed.scaling,
            arguments={"network": "resnet18", "cores": cores},
        )
        for cores in CORE_COUNTS
    ),
)


def choose(names: Iterable[str]) -> tuple[BenchRow, ...]:
    """The rows with these names, in the order of the table; raises InputError for an unknown one."""
    known = {row.name: row for row in ROWS}
    wanted = set(names)
    unknown = sorted(wanted - known.keys())
    if unknown:
        raise InputError(f"--row {unknown[0]!r} is unknown: `emu bench --list` names all rows")
    return tuple(row for row in ROWS if row.name in wanted)

"""Times of a chip's components: table `[timing]` of its description; a figure that is None is not known."""

from __future__ import annotations

from dataclasses import dataclass, field

from emu.arch_figure import choice, flag, positive_time, rate, time, whole

MODELS = ("pipeline", "isaac", "puma", "cim-mlc")


@dataclass(frozen=True, slots=True)
class CrossbarTiming:
    """One physical array."""

    read_ns: float | None = positive_time(
        "one read: an array with a slice of the input bits of the word lines driven together, without converters"
    )
    write_row_ns: float | None = positive_time("programming one word line of cells")


@dataclass(frozen=True, slots=True)
class AdcTiming:
    """One analog-to-digital converter."""

    convert_ns: float | None = positive_time("one conversion of one bit line: 1 / rate")


@dataclass(frozen=True, slots=True)
class StageTiming:
    """A stage that takes a fixed time whenever it is passed: converters, registers, adders."""

    latency_ns: float | None = time("passing the stage once")


@dataclass(frozen=True, slots=True)
class VectorTiming:
    """The digital vector unit of a core."""

    lanes: int | None = whole("elements of one pass of the vector unit")
    chip_lanes: int | None = whole(
        "elements that the vector units of all cores pass at once; cores with programs share them evenly; without it"
        " each has its `lanes`"
    )
    pass_ns: float | None = positive_time("one pass: `lanes` elements of an elementwise operation")
    special_ns: float | None = positive_time("one pass of a function such as sigmoid, tanh, exp; without it `pass_ns`")


@dataclass(frozen=True, slots=True)
class ScalarTiming:
    """The scalar unit of a core."""

    op_ns: float | None = time("one scalar instruction")


@dataclass(frozen=True, slots=True)
class MemoryTiming:
    """A memory that is read and written in words."""

    width_bytes: int | None = whole("bytes of one access (a word)")
    read_ns: float | None = time("reading one word")
    write_ns: float | None = time("writing one word")


@dataclass(frozen=True, slots=True)
class TransferTiming:
    """The unit of a core that sends, receives, loads and stores."""

    start_ns: float | None = time("what every transfer takes before its first byte moves")


@dataclass(frozen=True, slots=True)
class BusTiming:
    """The bus between the memory of a core and its crossbars."""

    width_bytes: int | None = whole("bytes that move at once")
    word_ns: float | None = time("moving `width_bytes` bytes")


@dataclass(frozen=True, slots=True)
class OffchipTiming:
    """The link to other chips."""

    latency_ns: float | None = time("one packet, beside its bytes")
    packet_bytes: int | None = whole("bytes of a packet")
    bandwidth_gb_per_s: float | None = rate("gigabytes (1e9) per second of all links together")


@dataclass(frozen=True, slots=True)
class ControlTiming:
    """The front end of a core: fetch, decode, dispatch."""

    issue_ns: float | None = time("one instruction passing the front end behind the one before it")
    fill_ns: float | None = time("from fetching an instruction to dispatching it when nothing is in its way")


@dataclass(frozen=True, slots=True)
class Timing:
    """All times of a chip; network times stand in `Network`."""

    model: str | None = choice(MODELS, "the cost model: how instructions use the components; without it `pipeline`")
    clock_ns: float | None = positive_time("the period of the cores' clock")
    window: int | None = whole("operations in flight per core; 1: one after the other", 1 << 10)
    local_ports: int | None = whole("accesses that the local memory of a core serves at once", 1 << 10)
    pipelined: bool | None = flag(
        "whether an array takes the next slice of input bits while converters do the last one"
    )
    float_bits: int | None = whole("bits of the chip's own numbers, by which values of floating-point types cost", 64)
    crossbar: CrossbarTiming = field(default_factory=CrossbarTiming)
    dac: StageTiming = field(default_factory=StageTiming)
    adc: AdcTiming = field(default_factory=AdcTiming)
    sample_hold: StageTiming = field(default_factory=StageTiming)
    shift_add: StageTiming = field(default_factory=StageTiming)
    input_register: StageTiming = field(default_factory=StageTiming)
    output_register: StageTiming = field(default_factory=StageTiming)
    vector: VectorTiming = field(default_factory=VectorTiming)
    scalar: ScalarTiming = field(default_factory=ScalarTiming)
    local_memory: MemoryTiming = field(default_factory=MemoryTiming)
    global_memory: MemoryTiming = field(default_factory=MemoryTiming)
    transfer: TransferTiming = field(default_factory=TransferTiming)
    bus: BusTiming = field(default_factory=BusTiming)
    offchip: OffchipTiming = field(default_factory=OffchipTiming)
    control: ControlTiming = field(default_factory=ControlTiming)

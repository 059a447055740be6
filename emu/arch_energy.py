"""Energies and powers of a chip's components: table `[energy]` of its description; None is not known.

Every component has two powers per instance: `power_mw` at full activity, `static_mw` always (leakage, clocks). Prices
of actions are in pJ; an action without a price of its own costs its duration times `power_mw` where the model says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from emu.arch_figure import amount


@dataclass(frozen=True, slots=True)
class Power:
    """The powers of one instance; all there is of components whose actions have no price."""

    power_mw: float | None = amount("power of one instance at full activity, static power included")
    static_mw: float | None = amount("power of one instance that does nothing")


@dataclass(frozen=True, slots=True)
class CrossbarEnergy(Power):
    """One physical array."""

    read_pj: float | None = amount(
        "one read: an array with a slice of the input bits of the word lines driven together, without converters"
    )
    write_cell_pj: float | None = amount("programming one cell")


@dataclass(frozen=True, slots=True)
class ConverterEnergy(Power):
    """One converter."""

    convert_pj: float | None = amount("one conversion: of one word line's slice of bits (DAC), of one bit line (ADC)")


@dataclass(frozen=True, slots=True)
class OpEnergy(Power):
    """A unit with one kind of operation."""

    op_pj: float | None = amount("one operation: of one bit line's sample or conversion, of one scalar instruction")


@dataclass(frozen=True, slots=True)
class RegisterEnergy(Power):
    """A register or small buffer that is priced by the byte."""

    byte_pj: float | None = amount("reading or writing one byte")


@dataclass(frozen=True, slots=True)
class VectorEnergy(Power):
    """The digital vector unit."""

    pass_pj: float | None = amount("one pass of `timing.vector.lanes` elements, whatever the operation")
    op_pj: float | None = amount("one element of an elementwise operation that has no price of its own below")
    multiply_pj: float | None = amount("one element of a product")
    divide_pj: float | None = amount("one element of a quotient")
    special_pj: float | None = amount("one element of a function such as sigmoid, tanh, exp")


@dataclass(frozen=True, slots=True)
class MemoryEnergy(Power):
    """A memory that is read and written in words (`timing.*.width_bytes`)."""

    read_pj: float | None = amount("reading one word of `width_bytes` of the same memory in `[timing]`")
    write_pj: float | None = amount("writing one word")


@dataclass(frozen=True, slots=True)
class WordEnergy(Power):
    """A bus."""

    word_pj: float | None = amount("moving one word of `timing.bus.width_bytes`")


@dataclass(frozen=True, slots=True)
class FlitEnergy(Power):
    """A part of the network, priced by the flit of `network.flit_bytes`."""

    flit_pj: float | None = amount("one flit: per router or link that it passes; of `transfer`, once for its whole way")


@dataclass(frozen=True, slots=True)
class ByteEnergy(Power):
    """A link that is priced by the byte."""

    byte_pj: float | None = amount("one byte")


@dataclass(frozen=True, slots=True)
class ControlEnergy(Power):
    """The front end of a core."""

    instruction_pj: float | None = amount("fetching, decoding and dispatching one instruction")


@dataclass(frozen=True, slots=True)
class Energy:
    """All energies and powers of a chip."""

    crossbar: CrossbarEnergy = field(default_factory=CrossbarEnergy)
    dac: ConverterEnergy = field(default_factory=ConverterEnergy)
    adc: ConverterEnergy = field(default_factory=ConverterEnergy)
    sample_hold: OpEnergy = field(default_factory=OpEnergy)
    shift_add: OpEnergy = field(default_factory=OpEnergy)
    input_register: RegisterEnergy = field(default_factory=RegisterEnergy)
    output_register: RegisterEnergy = field(default_factory=RegisterEnergy)
    mvmu: Power = field(default_factory=Power)
    vector: VectorEnergy = field(default_factory=VectorEnergy)
    special: Power = field(default_factory=Power)
    pool: Power = field(default_factory=Power)
    accumulator: OpEnergy = field(default_factory=OpEnergy)
    scalar: OpEnergy = field(default_factory=OpEnergy)
    register_file: RegisterEnergy = field(default_factory=RegisterEnergy)
    control: ControlEnergy = field(default_factory=ControlEnergy)
    instruction_memory: Power = field(default_factory=Power)
    local_memory: MemoryEnergy = field(default_factory=MemoryEnergy)
    output_buffer: RegisterEnergy = field(default_factory=RegisterEnergy)
    bus: WordEnergy = field(default_factory=WordEnergy)
    transfer: FlitEnergy = field(default_factory=FlitEnergy)
    receive_buffer: MemoryEnergy = field(default_factory=MemoryEnergy)
    attribute_memory: Power = field(default_factory=Power)
    cluster_control: Power = field(default_factory=Power)
    cluster_instruction_memory: Power = field(default_factory=Power)
    router: FlitEnergy = field(default_factory=FlitEnergy)
    link: FlitEnergy = field(default_factory=FlitEnergy)
    global_memory: MemoryEnergy = field(default_factory=MemoryEnergy)
    offchip: ByteEnergy = field(default_factory=ByteEnergy)

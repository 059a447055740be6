"""Area and number of a chip's components: table `[area]` of its description; None is not known."""

from __future__ import annotations

from dataclasses import dataclass, field

from emu.arch_figure import amount, choice, whole

LEVELS = ("crossbar", "mvmu", "core", "cluster", "chip")  # from the smallest part of a chip to all of it


@dataclass(frozen=True, slots=True)
class Part:
    """How many instances of a component there are, and how large one is."""

    count: int | None = whole(
        "instances per part `per`; without it the number that the crossbars and cores imply", 1 << 24
    )
    per: str | None = choice(LEVELS, "the part of the chip that `count` instances belong to")
    mm2: float | None = amount("area of one instance")


@dataclass(frozen=True, slots=True)
class Area:
    """All components of a chip; names as in `Energy`."""

    crossbar: Part = field(default_factory=Part)
    dac: Part = field(default_factory=Part)
    adc: Part = field(default_factory=Part)
    sample_hold: Part = field(default_factory=Part)
    shift_add: Part = field(default_factory=Part)
    input_register: Part = field(default_factory=Part)
    output_register: Part = field(default_factory=Part)
    mvmu: Part = field(default_factory=Part)
    vector: Part = field(default_factory=Part)
    special: Part = field(default_factory=Part)
    pool: Part = field(default_factory=Part)
    accumulator: Part = field(default_factory=Part)
    scalar: Part = field(default_factory=Part)
    register_file: Part = field(default_factory=Part)
    control: Part = field(default_factory=Part)
    instruction_memory: Part = field(default_factory=Part)
    local_memory: Part = field(default_factory=Part)
    output_buffer: Part = field(default_factory=Part)
    bus: Part = field(default_factory=Part)
    transfer: Part = field(default_factory=Part)
    receive_buffer: Part = field(default_factory=Part)
    attribute_memory: Part = field(default_factory=Part)
    cluster_control: Part = field(default_factory=Part)
    cluster_instruction_memory: Part = field(default_factory=Part)
    router: Part = field(default_factory=Part)
    link: Part = field(default_factory=Part)
    global_memory: Part = field(default_factory=Part)
    offchip: Part = field(default_factory=Part)

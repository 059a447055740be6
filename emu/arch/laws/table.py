"""All laws by name. A new one is a row here, or in one of the modules whose rows stand here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from emu.arch.laws.converters import BITS, CONVERTERS, FEWEST, MOST, RATE, sar_mw, sar_um2, survey_pj, survey_um2
from emu.arch.laws.law import ACTION, AREA, POWER, STATIC, Chip, Law, Measure, linear
from emu.arch.laws.node import NODES

_DRIVEN = ("crossbar.rows", "crossbar.dac_count", "crossbar.parallel_rows", "crossbar.cols")
_READ = "timing.crossbar.read_ns"
_UNIT = ("core.crossbars_per_mvmu",)
_CONVERTERS = ("crossbar.adc_count", "crossbar.cols", "crossbar.adc_arrays", *_UNIT)
_LIBRARY = "linear, as in CiMLoop's components"
DEPTH_POWER = 0.78  # energy of an access by the words of a memory


def _conducting(chip: Chip) -> float:
    """Cells that a read drives."""
    return chip("crossbar.driven_rows") * chip("crossbar.cols")


def _linear(name: str, components: tuple[str, ...], figures: Iterable[str], *keys: str, source: str = _LIBRARY) -> Law:
    return Law(name, components, dict.fromkeys(figures, linear(*keys)), source)


def _memory(name: str, component: str, size: str, width: str) -> tuple[Law, Law]:
    """A memory by size and width; and by its width alone, where the size of a description is not that of the chip."""

    def access(chip: Chip) -> float:
        return chip(width) * (chip(size) / chip(width)) ** DEPTH_POWER

    priced = Measure(f"width x (size / width)^{DEPTH_POWER}", (size, width), access)
    return (
        Law(
            name,
            (component,),
            {ACTION: priced, POWER: priced, STATIC: linear(size), AREA: linear(size)},
            "CiMLoop's components: energy of an access linear in its width, and by the depth as a fit to CACTI",
        ),
        _linear(f"{name}-width", (component,), (ACTION, POWER), width),
    )


_ARRAY = Law(
    "array",
    ("crossbar",),
    {
        "read_pj": Measure(
            "rows driven x cols x read_ns", (*_DRIVEN, _READ), lambda chip: _conducting(chip) * chip(_READ)
        ),
        POWER: Measure("rows driven x cols", _DRIVEN, _conducting),
        STATIC: linear("crossbar.rows", "crossbar.cols"),
        AREA: linear("crossbar.rows", "crossbar.cols"),
    },
    "sum of V^2 G t over the cells that conduct; area of the cells. Writing a cell costs what it did",
)


def _surveyed_mw(chip: Chip) -> float:
    """Power of a converter by the survey, 1 at 8 bits and a conversion per ns."""
    bits, lasts = chip(BITS), chip(RATE)
    return survey_pj(bits, 1e9 / lasts, 32) / survey_pj(8, 1e9, 32) / lasts


def _surveyed_um2(chip: Chip) -> float:
    """Its area, 1 at 8 bits and a conversion per ns."""
    return survey_um2(chip(BITS), 1e9 / chip(RATE), 32) / survey_um2(8, 1e9, 32)


def _mvm_unit(
    name: str, adcs: str, power: Callable[[Chip], float], area: Callable[[Chip], float], bits: tuple[int, int]
) -> Law:
    """A whole MVM unit, of which PUMA's simulator says what the converters take."""

    def measure(adc: Callable[[Chip], float], share: float) -> Measure:
        def of(chip: Chip) -> float:
            lines = chip("crossbar.rows") * (chip("core.crossbars_per_mvmu") or 1)
            return share * chip("chip.unit_adcs") / 8 * adc(chip) + (1 - share) * lines / (8 * 128)

        text = f"{share:.3g} x ADCs of a unit / 8 by {adcs} + {1 - share:.3g} x rows x crossbars_per_mvmu / 1024"
        return Measure(text, (BITS, RATE, *_CONVERTERS, "crossbar.rows"), of)

    powers = measure(power, 16 / 19.09)
    return Law(
        name,
        ("mvmu",),
        {POWER: powers, STATIC: powers, AREA: measure(area, 0.0096 / 0.012)},
        "PUMA's unit of 8 arrays: its simulator has 8 ADCs of 2 mW and 0.0012 mm2 in 19.09 mW and 0.012 mm2; the rest"
        f" (DACs, registers, arrays) by word lines, the ADCs by {adcs} at 1 conversion per ns",
        {BITS: bits},
    )


_PER_UNIT = Measure("adc_count x crossbars_per_mvmu / adc_arrays", _CONVERTERS, lambda chip: chip("chip.unit_adcs"))
LAWS: Mapping[str, Law] = {
    law.name: law
    for law in (
        *CONVERTERS,
        _ARRAY,
        _linear(
            "linear-rows",
            ("input_register",),
            (POWER, STATIC, AREA),
            "crossbar.rows",
            *_UNIT,
            source="a place per word line; a byte costs what it did",
        ),
        _linear(
            "linear-columns",
            ("output_register",),
            (POWER, STATIC, AREA),
            "crossbar.cols",
            *_UNIT,
            source="a place per bit line; a byte costs what it did",
        ),
        Law(
            "linear-adcs",
            ("shift_add",),
            dict.fromkeys((POWER, STATIC, AREA), _PER_UNIT),
            "as many as there are conversions at a time; one costs what it did",
        ),
        _mvm_unit("mvm-unit-sar", "adc-sar", sar_mw, sar_um2, (4, 10)),
        _mvm_unit("mvm-unit-survey", "adc-survey", _surveyed_mw, _surveyed_um2, (FEWEST, MOST)),
        _linear(
            "linear-lanes",
            ("vector",),
            ("pass_pj", POWER, STATIC, AREA),
            "timing.vector.lanes",
            source="one unit per lane; an element costs what it did",
        ),
        _linear("linear-bus", ("bus",), (ACTION, POWER, STATIC, AREA), "timing.bus.width_bytes"),
        _linear("linear-flit", ("router", "link", "transfer"), (ACTION, POWER, STATIC, AREA), "network.flit_bytes"),
        _linear(
            "linear-bandwidth",
            ("offchip",),
            (POWER, STATIC, AREA),
            "timing.offchip.bandwidth_gb_per_s",
            source="so many links more; a byte costs what it did",
        ),
        _linear(
            "linear-link-bandwidth",
            ("chip_link",),
            (POWER, STATIC, AREA),
            "timing.chip_link.bandwidth_gb_per_s",
            source="so many wires more; a byte costs what it did",
        ),
        *_memory("local-memory", "local_memory", "core.local_memory", "timing.local_memory.width_bytes"),
        *_memory("global-memory", "global_memory", "global_memory.size", "timing.global_memory.width_bytes"),
        *NODES,
    )
}
FOLLOWED = tuple(dict.fromkeys(key for law in LAWS.values() for key in law.keys))  # the geometry: keys that laws know

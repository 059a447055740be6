"""Laws: figures at the paper's geometry, along any path, never less for more; and the formulas, written anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log10
from typing import Any

import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.arch.chip import Arch
from emu.arch.components import COMPONENTS
from emu.arch.derived import derived
from emu.arch.followed import followed
from emu.arch.laws.law import ALL, Law
from emu.arch.laws.node import node_area, node_energy
from emu.arch.laws.table import FOLLOWED, LAWS
from emu.arch.read import load_arch, parse_arch, preset_names
from emu.arch.schema import figure, schema
from emu.timing.chip.sums import areas_of, levels

# Values of the geometry that stand beside each other on every chip below.
GEOMETRY: Mapping[str, st.SearchStrategy[Any]] = {
    "chip.node_nm": st.floats(7, 130),
    "chip.supply_v": st.floats(0.6, 1.2),
    "core.local_memory": st.integers(1 << 10, 1 << 20),
    "crossbar.adc_bits": st.integers(1, 14),
    "crossbar.adc_count": st.sampled_from([1, 2, 4, 16]),
    "crossbar.cols": st.sampled_from([16, 64, 128, 512]),
    "crossbar.dac_bits": st.integers(1, 8),
    "crossbar.dac_count": st.sampled_from([1, 8, 16]),
    "crossbar.rows": st.sampled_from([16, 64, 128, 1024]),
    "global_memory.size": st.integers(1 << 10, 1 << 30),
    "network.flit_bytes": st.integers(1, 64),
    "timing.adc.convert_ns": st.floats(0.05, 1e4),
    "timing.bus.width_bytes": st.integers(1, 128),
    "timing.chip_link.bandwidth_gb_per_s": st.floats(0.1, 100),
    "timing.crossbar.read_ns": st.floats(0.1, 1e4),
    "timing.global_memory.width_bytes": st.integers(1, 128),
    "timing.local_memory.width_bytes": st.integers(1, 128),
    "timing.offchip.bandwidth_gb_per_s": st.floats(0.1, 100),
    "timing.vector.lanes": st.integers(1, 256),
}
# Of these more costs more: what a key that is as large says, each at one value of all others.
RISING = [*GEOMETRY.keys() - {"timing.adc.convert_ns", "crossbar.adc_count", "crossbar.dac_count"}]
UNITS = {"_ns": 5.0, "_pj": 2.0, "power_mw": 3.0, "static_mw": 1.0, "mm2": 0.25}


def changes() -> st.SearchStrategy[dict[str, Any]]:
    """New values of some keys."""
    return st.fixed_dictionaries({}, optional=dict(GEOMETRY))


def law_chip(law: Law) -> Arch:
    """A chip whose components have all figures that they can have, those of this law's tables by the law."""
    tables = {"chip": {"node_nm": 45, "cores": 4}, "core": {"crossbars": 8, "crossbars_per_mvmu": 8}}
    lines = [
        f"[{table}]\n{''.join(f'{key} = {value}' + chr(10) for key, value in keys.items())}"
        for table, keys in tables.items()
    ]
    lines.append("[crossbar]\nadc_bits = 7\nadc_count = 2\ndac_bits = 1\ndac_count = 16\n[network]\nflit_bytes = 4\n")
    for table, keys in schema().items():
        if table.partition(".")[0] in ("timing", "energy", "area") and "." in table:
            mine = [f'scale = "{law.name}"'] if law.holds(table) else []
            for key in keys:
                unit = next((value for end, value in UNITS.items() if key.endswith(end)), None)
                if unit is None and (key.endswith(("_bytes", "_gb_per_s")) or key == "lanes"):
                    unit = 8
                mine += [f"{key} = {unit}"] if unit else []
            lines.append("\n".join([f"[{table}]", *mine, ""]))
    return parse_arch("\n".join(lines), "chip.toml")


CHIPS = {
    **{name: load_arch(name) for name in preset_names()},
    **{f"law {law.name}": law_chip(law) for law in LAWS.values()},
}
SCALED = [name for name, chip in CHIPS.items() if any(followed(chip))]


def figures_of(arch: Arch) -> dict[str, float]:
    """Every figure that follows a law."""
    return {f"{each.table}.{each.key}": each.value for each in followed(arch)}


def test_each_key_of_the_geometry_is_drawn_or_is_a_number_of_arrays() -> None:
    arrays = {"core.crossbars_per_mvmu", "crossbar.adc_arrays", "crossbar.parallel_rows"}
    assert {*FOLLOWED} == {*GEOMETRY} | arrays


@settings(max_examples=examples(50, 1000), deadline=None)
@given(st.sampled_from(sorted(CHIPS)), changes())
def test_at_the_same_geometry_figures_are_the_same_numbers(name: str, change: dict[str, Any]) -> None:
    chip = CHIPS[name]
    same = {key: figure(chip, key) for key in change if figure(chip, key) is not None}
    assert derived(chip, same) == chip and not derived(chip, same).remarks


@settings(max_examples=examples(50, 1000), deadline=None)
@given(st.sampled_from(SCALED), changes(), changes())
def test_figures_depend_on_the_geometry_and_not_on_the_way_there(
    name: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    chip = CHIPS[name]
    # A figure that is given is a new anchor: what it is given for, and not what comes after it, is its geometry.
    given = figures_of(chip)
    first = {key: value for key, value in first.items() if key not in given}
    first, second = (possible(chip, change) for change in (first, second))
    there = figures_of(derived(derived(chip, first), second))
    assert there == pytest.approx(figures_of(derived(chip, {**first, **second})), rel=1e-12, abs=1e-15)


def possible(chip: Arch, change: dict[str, Any]) -> dict[str, Any]:
    """Changes that this chip can have together: those of keys that it has, with lines enough for its converters."""
    found = {key: value for key, value in change.items() if figure(chip, key) is not None}
    for count, lines in (("crossbar.dac_count", "crossbar.rows"), ("crossbar.adc_count", "crossbar.cols")):
        found.setdefault(count, 1)
        found.setdefault(lines, 1024)
    found["crossbar.parallel_rows"] = 1
    return found


@settings(max_examples=examples(100, 2000), deadline=None)
@given(st.sampled_from(SCALED), changes(), st.sampled_from(RISING), st.data())
def test_more_of_anything_never_costs_less(name: str, rest: dict[str, Any], key: str, data: st.DataObject) -> None:
    chip = CHIPS[name]
    low, high = sorted(data.draw(GEOMETRY[key]) for _ in range(2))
    if figure(chip, key) is None and key != "chip.supply_v":
        return
    less, more = (derived(chip, {**possible(chip, {**rest, key: value}), key: value}) for value in (low, high))
    before, after = figures_of(less), figures_of(more)
    slack = 1 + 1e-9
    assert all(before[where] <= after[where] * slack for where in before)
    for one, other in zip(levels(less), levels(more), strict=True):
        for what in ("power_mw", "static_mw", "mm2"):
            assert (getattr(one, what) or 0) <= (getattr(other, what) or 0) * slack


@settings(max_examples=examples(30, 500), deadline=None)
@given(st.sampled_from(SCALED), changes())
def test_sums_are_those_of_the_parts(name: str, change: dict[str, Any]) -> None:
    chip = derived(CHIPS[name], possible(CHIPS[name], change))
    whole = levels(chip)[-1]
    assert (whole.mm2 or 0) == pytest.approx(sum(areas_of(chip).values()))
    fewer = replace(chip, energy=None)
    assert (levels(fewer)[-1].mm2 or 0) == (whole.mm2 or 0)


@pytest.mark.parametrize(
    ("bits", "convert_ns", "node", "picojoule"),  # facts of the authors' release at 1 GS/s, and the one at 0.1 GS/s
    [
        (4, 1, 32, 0.92),
        (6, 1, 32, 1.07),
        (8, 1, 32, 1.71),
        (10, 1, 32, 13.9),
        (8, 1, 65, 6.49),
        (8, 1, 22, 0.85),
        (8, 10, 32, 1.7),
    ],
)
def test_the_survey_gives_what_its_authors_do(bits: int, convert_ns: float, node: float, picojoule: float) -> None:
    assert surveyed(bits, convert_ns, node)[0] == pytest.approx(picojoule, rel=0.01)


@pytest.mark.parametrize(("bits", "square"), [(4, 4964), (6, 5180), (8, 5972), (10, 11180)])
def test_areas_of_the_survey_are_those_of_its_authors(bits: int, square: float) -> None:
    assert surveyed(bits, 1, 32)[1] == pytest.approx(square, rel=0.001)


def surveyed(bits: int, convert_ns: float, node: float) -> tuple[float, float]:
    """pJ and um2 of a converter by the law, of one that a file gives at 8 bits, 1 GS/s and 32 nm as 1.709 pJ."""
    chip = parse_arch(
        "[chip]\nnode_nm = 32\n[crossbar]\nadc_bits = 8\n[timing.adc]\nconvert_ns = 1\n"
        f"[energy.adc]\nscale = 'adc-survey'\nconvert_pj = {survey(8, 1e9, 32)[0]}\n"
        f"[area.adc]\nscale = 'adc-survey'\nmm2 = {survey(8, 1e9, 32)[1]}\n",
        "adc.toml",
    )
    keys = {"crossbar.adc_bits": bits, "timing.adc.convert_ns": convert_ns, "chip.node_nm": node}
    found = derived(chip, keys)
    return figure(found, "energy.adc.convert_pj"), figure(found, "area.adc.mm2")


def survey(b: float, f: float, t: float) -> tuple[float, float]:
    """The formulas of arXiv 2404.06553 with the figures of its release, written apart from the product's."""
    e = 2.718281828459045
    fom = min(213.7806687 - 2.871903040 * log10(f) / log10(e), 128.3068287 + 3.220511511 * b)
    sndr = 20 * b * log10(2) + 10 * log10(1.5)
    pj = 0.5 / 10 ** ((fom - sndr) / 10) * e ** (26.04962157 - 1.470202213) * t**1.880036921 * b**-2.829125605
    return pj, e**1.346191644 * t**0.9932794745 * f**0.1807153842 * pj**0.2991242619


@pytest.mark.parametrize("bits", range(4, 15))
@pytest.mark.parametrize("convert_ns", [0.1, 0.78125, 10, 1e4])
@pytest.mark.parametrize("node", [7, 32, 130])
def test_the_law_of_converters_is_the_formula(bits: int, convert_ns: float, node: float) -> None:
    assert surveyed(bits, convert_ns, node) == pytest.approx(survey(bits, 1e9 / convert_ns, node), rel=1e-9)


@pytest.mark.parametrize(  # of CiMLoop's components for ISAAC's converter at 1.2 GS/s
    ("bits", "picojoule", "square"),
    [
        (4, 0.79, 361),
        (5, 0.99, 477),
        (6, 1.20, 627),
        (7, 1.42, 845),
        (8, 1.67, 1200),
        (9, 1.97, 1828),
        (10, 2.38, 3002),
    ],
)
def test_converters_of_isaac_by_bits(bits: int, picojoule: float, square: float) -> None:
    isaac = load_arch("isaac")
    chip = derived(isaac, {"crossbar.adc_bits": bits})
    assert figure(chip, "energy.adc.convert_pj") / figure(isaac, "energy.adc.convert_pj") == pytest.approx(
        picojoule / 1.67, rel=0.005
    )
    assert figure(chip, "area.adc.mm2") / figure(isaac, "area.adc.mm2") == pytest.approx(square / 1200, rel=0.005)


def test_power_of_a_converter_is_its_energy_times_its_rate() -> None:
    chip = derived(load_arch("isaac"), {"crossbar.adc_bits": 6, "timing.adc.convert_ns": 0.5, "chip.node_nm": 16})
    assert figure(chip, "energy.adc.power_mw") == pytest.approx(figure(chip, "energy.adc.convert_pj") / 0.5)


def test_nodes_are_those_of_the_table_and_lie_between_their_neighbours() -> None:
    assert node_area(32) == pytest.approx(1) and node_area(130) == pytest.approx(1 / 0.072)
    assert node_energy(45, 1.0) == pytest.approx(1.103 - 0.362 + 0.2767)
    assert node_area(16) < node_area(18) < node_area(20) and node_area(5) < node_area(7)
    assert node_energy(22, 0.8) ** 2 > node_energy(20, 0.8) ** 2


@settings(max_examples=examples(50, 1000))
@given(st.floats(1, 1000), st.floats(1, 1000), st.floats(0.6, 1.2))
def test_a_smaller_node_never_takes_more(one: float, other: float, supply: float) -> None:
    small, large = sorted((one, other))
    assert node_area(small) <= node_area(large) * (1 + 1e-12)
    assert node_energy(small, supply) <= node_energy(large, supply) * (1 + 1e-12)


def test_every_component_has_a_law_and_every_law_says_where_it_is_from() -> None:
    tables = [f"{kind}.{name}" for kind in ("energy", "area") for name in COMPONENTS]
    assert all(any(law.holds(table) for law in LAWS.values()) for table in tables)
    assert all(law.components == ALL or COMPONENTS.keys() >= {*law.components} for law in LAWS.values())
    assert all(law.source and measure.formula for law in LAWS.values() for measure in law.figures.values())
    assert all(key in law.keys for law in LAWS.values() for key in law.ranges)

"""`emu time`: what one more of a resource would bring, what bounds a sample, and that energies are sums of parts."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from commands import Emu
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.arch.derived import derived
from emu.arch.read import load_arch
from emu.arch.write import arch_to_toml
from emu.noc.ports.port import FlowControl
from emu.timing.changes import ChipChanges
from emu.timing.chip.sums import levels
from emu.timing.countable import COUNTABLE, one_more
from launch.text.units import number_text
from launch.timing.energy import energy_report
from launch.timing.report import make_report
from launch.timing.timed_image import TimedImage, time_image
from launch.timing.values import report_values
from launch.timing.what_if import FIGURES, figures_of, retimed, what_if

CHIPS = ("isaac", "puma", "pimsim-latency")


PAGE = (Path(__file__).parents[3] / "docs" / "timing.md").read_text("utf-8")


def told(emu: Emu, *arguments: object) -> dict:
    result = emu("time", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("isaac", "adc=+1", {"crossbar.adc_count": 2}),
        ("isaac", "dac=-64,window=-12", {"crossbar.dac_count": 64, "timing.window": 4}),
        ("puma", "local_memory=+32,links=+28", {"timing.local_memory.width_bytes": 64, "network.flit_bytes": 32}),
        ("pimsim-latency", "vector=+32", {"timing.vector.lanes": None}),
    ],
)
def test_one_more_is_the_chip_with_that_key(
    emu: Emu, digits_image: Path, tmp_path: Path, name: str, text: str, keys: dict
) -> None:
    found = told(emu, digits_image, "--arch", name, "--what-if", text)
    then = found["what_if"]
    assert set(then["keys"]) == set(keys)
    assert all(value is None or then["keys"][key][1] == value for key, value in keys.items())
    chip = derived(load_arch(name), {key: after for key, (_, after) in then["keys"].items()})
    (tmp_path / "chip.toml").write_text(arch_to_toml(replace(chip, name=name)))
    other = told(emu, digits_image, "--arch", tmp_path / "chip.toml")
    assert {figure: then[figure] for figure in FIGURES} == pytest.approx({figure: other[figure] for figure in FIGURES})
    assert then["today"] == pytest.approx({figure: found[figure] for figure in FIGURES})


def test_today_and_then_stand_beside_each_other(emu: Emu, digits_image: Path) -> None:
    text = emu("time", digits_image, "--arch", "isaac", "--what-if", "adc=+1,network=2x").stdout
    assert "with network=2x,adc=+1 (crossbar.adc_count 1 -> 2)" in text
    (area,) = [line.split() for line in text.splitlines() if line.startswith(" area, mm2")]
    then = levels(derived(load_arch("isaac"), {"crossbar.adc_count": 2}))[-1].mm2
    assert then is not None and then > 100 and area[2:4] == ["85.42", number_text(then)]
    same = emu("time", digits_image, "--arch", "isaac", "--what-if", "adc=+0,window=+0").stdout
    assert "adc, window: changes nothing here: no figure of these programs follows it" in same


@pytest.mark.parametrize("name", CHIPS)
def test_what_bounds_a_sample(emu: Emu, digits_image: Path, name: str) -> None:
    found = told(emu, digits_image, "--arch", name, "--bottlenecks", "--critical-path")
    bounds = found["bounds"]
    assert sum(bounds["latency"].values()) == pytest.approx(found["latency_ps"])
    assert found["critical_path"]["components"] == bounds["latency"]
    assert sum(bounds["pace"].values()) == pytest.approx(found["busiest"]["busy_ps"])
    assert sum(bounds["energy"].values()) == pytest.approx(found["energy_pj"])
    assert sum(bounds["area"].values()) == pytest.approx(found["area_mm2"] or 0.0)
    assert [each["more"] for each in found["one_more"] if "adc" in each["more"]] == [{"adc": 1}]
    lines = emu("time", digits_image, "--arch", name, "--bottlenecks").stdout.splitlines()
    begin = next(place for place, line in enumerate(lines) if line.endswith("of the critical path"))
    assert len(lines) - begin <= 17


@pytest.fixture(scope="module")
def by_chip(digits_image: Path) -> dict[str, TimedImage]:
    return {name: time_image(digits_image, name, FlowControl(), 3) for name in CHIPS}


@settings(max_examples=15)
@given(name=st.sampled_from(CHIPS), times=st.dictionaries(st.sampled_from(sorted(COUNTABLE)), st.integers(0, 3)))
def test_energy_is_the_sum_of_its_parts(by_chip: dict[str, TimedImage], name: str, times: dict[str, int]) -> None:
    """By component, node and core, work and time, on chips with any numbers of what can be counted."""
    today = by_chip[name]
    possible = one_more(today.chip)
    more = {each: possible[each] * count for each, count in times.items() if each in possible}
    timed = retimed(today, ChipChanges(more=more))
    assert (timed is today) == (not any(more.values()))
    energy, figures = energy_report(timed), figures_of(timed)
    assert energy is not None and figures.energy_pj is not None
    whole = pytest.approx(figures.dynamic_pj, rel=1e-9)
    for parts in (energy.by_component, energy.by_node, energy.by_core, energy.by_action):
        assert sum(parts.values()) == whole
    values = report_values(make_report(timed))
    for kind in ("dynamic_pj", "static_pj"):
        assert sum(part[kind] or 0.0 for part in values["components"]) == pytest.approx(values[kind], rel=1e-9)
    assert values["energy_pj"] == pytest.approx(figures.energy_pj, rel=1e-12)
    assert values["alone_pj"] - values["dynamic_pj"] == pytest.approx(
        values["static_mw"]["used"] * values["latency_ps"] / 1000, rel=1e-9
    )
    assert sum(values["areas"].values()) == pytest.approx(values["area_mm2"] or 0.0, rel=1e-9)


def test_energy_that_falls_with_the_time_is_told(by_chip: dict[str, TimedImage]) -> None:
    """A free crossbar shortens the time per sample, and with it the energy of what draws power all the time."""
    found = what_if(by_chip["isaac"], ChipChanges({"crossbar": 0.0}))
    assert found.then.dynamic_pj == found.today.dynamic_pj
    shorter = found.then.period_ps / found.today.period_ps
    assert found.then.static_pj == pytest.approx(found.today.static_pj * shorter) and shorter < 0.5


def test_the_page_names_all_that_can_be_counted() -> None:
    rows = [line.split("|") for line in PAGE.split("| resource | one more is |")[1].split("\n\n")[0].splitlines()[2:]]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    keys = {key for row in rows for key in re.findall(r"`([\w.]+)`", row[3])}
    assert named == set(COUNTABLE) and keys == {key for row in COUNTABLE.values() for key in row.keys}


def test_remarks_on_the_chip_are_warnings(emu: Emu, digits_image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remark = "crossbar.adc_bits: no energy or area of this chip follows it"
    chip = replace(load_arch("puma"), remarks=(remark,))
    monkeypatch.setattr("launch.timing.timed_image.load_arch", lambda name: chip)
    assert f"warning: {remark}" in emu("time", digits_image, "--arch", "puma").stderr
    assert told(emu, digits_image, "--arch", "puma")["remarks"] == [remark]

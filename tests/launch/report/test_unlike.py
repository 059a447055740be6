"""Two chips of which one counts what the other leaves out: what is told, and what is no win."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import DIGITS, Emu
from hypothesis import given
from hypothesis import strategies as st

from emu.arch.read import load_arch
from emu.arch.write import arch_to_toml
from launch.report.unlike import sentences, unlike

ENERGY = "time.energy_pj"


def chip(name: str, **parts: float) -> dict[str, Any]:
    """A report of a chip whose components take so many pJ."""
    components = [
        {"component": part, "dynamic_pj": pj, "static_pj": 0.0, "power_mw": pj, "static_mw": 0.0}
        for part, pj in parts.items()
    ]
    return {"time": {"arch": name, "components": components, "energy_pj": sum(parts.values())}}


def test_a_constant_that_one_leaves_out_is_no_win_of_the_other() -> None:
    a, b = chip("isaac", offchip=99.0, adc=1.0), chip("puma", mvmu=9.0)
    found = unlike(ENERGY, a, b)
    assert found is not None and not found.fair and found.ratio == pytest.approx(9)
    assert found.lacking == {"a": [], "b": ["offchip"]}
    (sentence,) = sentences(found, "energy", a, b)
    assert sentence == (
        "energy: A (isaac) counts offchip, 99.0% of it, and B (puma) says nothing of it; of what both count B : A is"
        " x9; the smaller figure is no win"
    )
    swapped = unlike(ENERGY, b, a)
    assert swapped is not None and not swapped.fair and swapped.lacking == {"a": ["offchip"], "b": []}


def test_what_is_a_win_of_what_both_count_stays_one() -> None:
    found = unlike(ENERGY, chip("a", offchip=1.0, adc=99.0), chip("b", adc=9.0))
    assert found is not None and found.fair
    more = unlike(ENERGY, chip("a", adc=9.0), chip("b", offchip=1.0, adc=99.0))
    assert more is not None and more.fair
    loser = unlike(ENERGY, chip("a", adc=9.0, offchip=1.0), chip("b", adc=99.0))  # and would lose by more
    assert loser is not None and loser.fair


def test_chips_that_count_the_same_and_figures_that_are_not_known_are_not_unlike() -> None:
    assert unlike(ENERGY, chip("a", adc=1.0, dac=2.0), chip("b", mvmu=9.0)) is None
    assert unlike("totals.cores", chip("a", adc=1.0), chip("b", bus=1.0)) is None
    assert unlike(ENERGY, {"time": None}, chip("b", bus=1.0)) is None


@given(
    st.dictionaries(st.sampled_from(["adc", "bus", "offchip", "router"]), st.integers(1, 50).map(float), min_size=1),
    st.integers(1, 50),
)
def test_leaving_a_component_out_is_never_a_win(parts: dict[str, float], more: int) -> None:
    """Whatever a chip takes: the same chip without a word of one of its components is no better."""
    found = unlike(ENERGY, chip("a", **parts, vector=float(more)), chip("b", **parts))
    assert found is not None and not found.fair and found.ratio == pytest.approx(1)


def test_work_and_time_are_held_against_each_other_by_themselves() -> None:
    """A chip without static power wins nothing by that, and what its work takes may be compared."""
    components = [{"component": "adc", "dynamic_pj": 5.0, "static_pj": 20.0, "static_mw": 4.0, "power_mw": 1.0}]
    a = {"time": {"arch": "a", "components": components, "static_pj": 20.0, "dynamic_pj": 5.0}}
    components = [{"component": "dac", "dynamic_pj": 4.0, "static_pj": 0.0, "static_mw": 0.0, "power_mw": 1.0}]
    b = {"time": {"arch": "b", "components": components, "static_pj": 0.0, "dynamic_pj": 4.0}}
    assert unlike("time.dynamic_pj", a, b) is None  # both are parts of MVM units
    found = unlike("time.static_pj", a, b)
    assert found is not None and not found.fair and found.share == {"a": 0.0, "b": 1.0}
    assert sentences(found, "static", a, b) == [
        "static: A (a) counts MVM units, 100.0% of it, and B (b) says nothing of it; the smaller figure is no win"
    ]


def test_a_time_that_leaves_something_out_is_no_win() -> None:
    a, b = (
        {"time": {"arch": n, "latency_ps": ps, "needed": ["x", "y"], "missing": lacks}}
        for n, ps, lacks in (("a", 5, []), ("b", 4, ["y"]))
    )
    found = unlike("time.latency_ps", a, b)
    assert found is not None and not found.fair and found.ratio is None and found.share["b"] is None
    assert sentences(found, "latency", a, b) == [
        "latency: A (a) counts y and B (b) says nothing of it; the smaller figure is no win"
    ]


def test_the_same_chip_without_its_offchip_links_wins_nothing(tmp_path: Path, emu: Emu) -> None:
    isaac = load_arch("isaac")
    assert isaac.energy is not None
    bare = replace(isaac, name="bare", energy=replace(isaac.energy, offchip=type(isaac.energy.offchip)()))
    (tmp_path / "bare.toml").write_text(arch_to_toml(bare))
    for out, arch in (("a", "isaac"), ("b", tmp_path / "bare.toml")):
        made = emu("compile", DIGITS, "-o", tmp_path / out, "--arch", arch, "--golden", "none")
        assert made.exit_code == 0, made.output
    told = json.loads(emu("report", "--compare", tmp_path / "a", tmp_path / "b", "--json").stdout)
    fair = {row["figure"]: row["fair"] for row in told["figures"]}
    assert not any(fair[f"time.{name}"] for name in ("energy_pj", "static_pj", "alone_pj", "power_mw"))
    assert all(fair[name] for name in ("time.dynamic_pj", "time.latency_ps", "totals.cores"))
    assert any("A (isaac) counts offchip" in note and "B (bare) says nothing of it" in note for note in told["notes"])
    text = emu("report", "--compare", tmp_path / "a", tmp_path / "b").stdout
    assert all(note in text for note in told["notes"])
    same = json.loads(emu("report", "--compare", tmp_path / "a", tmp_path / "a", "--json").stdout)
    assert same["notes"] == [] and all(row["fair"] for row in same["figures"])

"""Programs that are timed once and priced for many chips have the figures that they have on each."""

import json
from pathlib import Path

import pytest
from commands import DIGITS
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from compiler import compile
from emu.arch import Arch
from emu.arch.derived import derived
from emu.arch.read import load_arch, preset_names
from emu.arch.schema import schema
from emu.errors import ArchError
from emu.noc.ports.port import FlowControl
from launch.timing.priced import kind_of_times, priced, timed_facts
from launch.timing.report import make_report
from launch.timing.timed_image import TimedImage, read_programs, time_programs
from launch.timing.values import report_values

PRICES = {
    f"{table}.{name}"
    for table, keys in schema().items()
    for name in keys
    if table.startswith(("energy.", "area.")) and name.endswith(("_mw", "_pj", "mm2"))
}
FREE = ("crossbar.adc_bits", "crossbar.endurance")
FIGURES = ("latency_ps", "period_ps", "energy_pj", "dynamic_pj", "static_pj", "power_mw", "area_mm2")


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("digits") / "out"
    compile(DIGITS, "puma", cores=16, out=out)
    return out


def timed(out: Path, chip: Arch) -> TimedImage:
    return time_programs(*read_programs(out), chip, FlowControl())


@pytest.fixture(scope="module")
def facts(digits: Path) -> dict:
    return timed_facts(timed(digits, load_arch("puma")))


CHANGES = st.dictionaries(st.sampled_from(sorted(PRICES)), st.floats(0, 100), max_size=4)
BITS = st.dictionaries(st.sampled_from(FREE), st.integers(1, 20))


@settings(max_examples=10, deadline=None)
@given(changes=CHANGES, bits=BITS)
def test_prices_are_those_of_emu_time(changes: dict, bits: dict, facts: dict, digits: Path) -> None:
    """Whatever the chip says of energies, areas and bits: times stay, and all the rest is as if timed anew."""
    base = load_arch("puma")
    try:
        chip = derived(base, {**changes, **bits})
    except ArchError:  # more power at rest than at work
        reject()
    assert kind_of_times(chip) == kind_of_times(base)
    anew = report_values(make_report(timed(digits, chip)))
    found = priced(json.loads(json.dumps(facts)), chip)
    assert {name: found["figures"][name] for name in FIGURES} == {name: anew[name] for name in FIGURES}
    assert found["unpriced"] == anew["unpriced"] and found["idle"] == anew["idle"]


@pytest.mark.parametrize("name", preset_names())
def test_a_chip_without_figures_has_none(name: str, facts: dict) -> None:
    chip = load_arch(name)
    found = priced(facts, chip)["figures"]
    assert (found.get("energy_pj") is None) == (chip.energy is None)
    assert found["latency_ps"] == facts["latency_ps"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("timing.window", 7),
        ("timing.adc.convert_ns", 7.0),
        ("crossbar.adc_count", 3),
        ("crossbar.dac_bits", 2),
        ("network.hop_ns", 7.0),
        ("core.crossbars", 64),
        ("chip.cores", 2208),
    ],
)
def test_what_times_depend_on_is_told_apart(key: str, value: float) -> None:
    base = load_arch("puma")
    assert kind_of_times(derived(base, {key: value})) != kind_of_times(base)


def programs(chip: Arch, out: Path) -> dict[str, bytes]:
    compile(DIGITS, chip, cores=40, out=out, duplicate="throughput", pipelined=True, arrange="traffic")
    files = sorted(path for path in out.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def test_programs_of_a_schedule_do_not_depend_on_prices(tmp_path: Path) -> None:
    """So that one compilation serves all chips with the same kind of times."""
    base = load_arch("puma")
    other = derived(base, {"crossbar.adc_bits": 4, "energy.adc.convert_pj": 50.0, "area.adc.mm2": 3.0})
    assert kind_of_times(other) == kind_of_times(base)
    found = programs(base, tmp_path / "a")
    assert found and found == programs(other, tmp_path / "b")

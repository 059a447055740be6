"""`emu time` of compiled directories: figures, JSON, CSV, and what is refused."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from commands import Emu
from images import write_image
from program_sets import ring

from emu.errors import InputError
from emu.timing.changes import parse_changes

PAGE = (Path(__file__).parents[3] / "docs" / "json.md").read_text("utf-8")
CHIP = """
[chip]
cores = {cores}
[core]
crossbars = {crossbars}
[crossbar]
rows = {rows}
cell_bits = 2
[timing]
model = "puma"
[timing.crossbar]
read_ns = 100
"""


def told(emu: Emu, *arguments: object) -> dict:
    result = emu("time", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def chip(tmp_path_factory: pytest.TempPathFactory):
    def write(cores: int = 64, crossbars: int = 64, rows: int = 128) -> Path:
        path = tmp_path_factory.mktemp("chips") / "chip.toml"
        path.write_text(CHIP.format(cores=cores, crossbars=crossbars, rows=rows))
        return path

    return write


def test_what_people_see(emu: Emu, digits_image: Path) -> None:
    asked = ("time", digits_image, "--arch", "puma", "--bottlenecks", "--what-if", "adc=free,network=2x")
    short, result = emu(*asked), emu(*asked, "--details")
    assert (short.exit_code, short.stderr, result.exit_code, result.stderr) == (0, "", 0, "")
    for line in short.stdout.splitlines():
        assert line in result.stdout.splitlines()
        numbers = re.findall(r"([0-9.]+) [num]?s\b", line)
        assert all(len(number.replace(".", "").strip("0")) <= 5 for number in numbers), line
    assert "if a resource were free" in short.stdout and "nodes by work" not in short.stdout
    for words in (
        "latency of a sample ",
        " in the steady state ",
        "with a network that takes no time: ",
        "with adc=free,network=2x: latency ",
        "takes no time here, as puma says nothing of it: timing.global_memory.width_bytes, ",
        "no share of the converters: puma has no price for them alone",
        "energy of a sample in the steady state",
        "nodes by work",
        "busy units",
        "waits for peers",
        "if a resource were free",
    ):
        assert words in result.stdout


@pytest.mark.parametrize("name", ["puma", "isaac", "pimsim-latency"])
@pytest.mark.parametrize("flow", ["rendezvous", "credits:2"])
def test_parts_add_up(emu: Emu, digits_image: Path, name: str, flow: str) -> None:
    found = told(emu, digits_image, "--arch", name, "--flow", flow, "--samples", 5)
    assert (found["arch"], found["flow"], found["samples"]) == (name, flow, 5)
    assert found["latency_ps"] >= found["period_ps"] >= found["busiest"]["busy_ps"] > 0
    assert found["without_communication"]["latency_ps"] <= found["latency_ps"]
    for parts, figure in (("components", "dynamic_pj"), ("nodes", "dynamic_pj"), ("cores", "dynamic_pj")):
        whole = sum(part[figure] or 0.0 for part in found[parts])
        assert whole == pytest.approx(found["dynamic_pj"], rel=1e-12), parts
    assert found["energy_pj"] == pytest.approx(found["dynamic_pj"] + found["static_pj"], rel=1e-12)
    assert found["static_pj"] == pytest.approx(found["static_mw"]["used"] * found["period_ps"] / 1000)
    assert found["power_mw"] == pytest.approx(found["energy_pj"] / found["period_ps"] * 1000)
    power = sum((part["power_mw"] or 0.0) + part["static_mw"] for part in found["components"])
    assert power == pytest.approx(found["power_mw"])
    for parts in ("nodes", "cores"):
        assert sum(part["power_mw"] for part in found[parts]) == pytest.approx(power - found["static_mw"]["used"])
    assert max(core["end_ps"] for core in found["cores"]) == found["latency_ps"]
    assert all(unit["share"] <= 1 for unit in found["units"])
    assert sum(found["blocked_ps"].values()) * 5 <= found["run_ps"] * len(found["cores"]) * 3


def test_more_samples_do_not_change_the_first_one(emu: Emu, digits_image: Path) -> None:
    one, many = (told(emu, digits_image, "--arch", "isaac", "--samples", count) for count in (1, 12))
    assert one["latency_ps"] == many["latency_ps"] == one["period_ps"]
    assert one["dynamic_pj"] == many["dynamic_pj"]
    assert many["steady_after"] == 1 and many["period_ps"] < many["latency_ps"]


def test_figures_that_the_chip_does_not_publish_are_absent(emu: Emu, digits_image: Path, chip) -> None:
    path = chip()
    text = path.read_text().replace("[crossbar]", "[crossbar]\ndac_bits = 1")
    path.write_text(text + "[timing.adc]\nconvert_ns = 1\n")
    found = told(emu, digits_image, "--arch", path)
    for figure in ("energy_pj", "dynamic_pj", "static_pj", "power_mw", "area_mm2", "adc_share", "static_mw"):
        assert found[figure] is None
    assert "timing.local_memory.read_ns" in found["missing"]
    text = emu("time", digits_image, "--arch", path).stdout
    assert "no energy: " in text and "has no table [energy]" in text and "no area: " in text


def test_all_fields_are_in_the_page(emu: Emu, digits_image: Path) -> None:
    text = PAGE.partition("## emu time\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", text))
    options = ("--critical-path", "--bottlenecks", "--what-if", "adc=free", "--peak-power")
    found = told(emu, digits_image, "--arch", "puma", *options)
    parts = ("components", "nodes", "cores", "units", "waits", "bottlenecks")
    keys = {*found, *(key for part in parts for key in found[part][0]), *found["critical_path"], *found["static_mw"]}
    keys |= {*found["critical_path"]["chain"][0], *found["critical_path"]["nodes"][0], *found["peak_power"]}
    assert keys - {"schema"} <= named


def test_csv_has_every_number(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    assert emu("time", digits_image, "--arch", "puma", "--csv", tmp_path / "n.csv").exit_code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "n.csv").read_text())))
    found = told(emu, digits_image, "--arch", "puma")
    numbers = {(row["part"], row["name"], row["figure"]): row["value"] for row in rows}
    assert numbers["chip", "", "latency_ps"] == str(found["latency_ps"])
    assert numbers["core", "1", "end_ps"] == str(found["cores"][1]["end_ps"])
    assert {row["name"] for row in rows if row["part"] == "node"} == {node["node"] for node in found["nodes"]}
    assert len(numbers) == len(rows)


@pytest.mark.parametrize("name", ["puma", "isaac", "pimsim-latency"])
@pytest.mark.parametrize("flow", ["rendezvous", "credits:2"])
def test_the_critical_path_is_the_latency(emu: Emu, digits_image: Path, name: str, flow: str) -> None:
    found = told(emu, digits_image, "--arch", name, "--flow", flow, "--critical-path")
    path, begin = found["critical_path"], 0
    for link in path["chain"]:
        assert link["begin_ps"] == begin and sum(link["nodes"].values()) == link["end_ps"] - begin
        begin = link["end_ps"]
    assert begin == found["latency_ps"] == sum(path["kinds"].values()) == sum(node["ps"] for node in path["nodes"])
    assert all(node["slack_ps"] == 0 for node in path["nodes"] if node["ps"])
    assert all(node["slack_ps"] == min(node["slack_by_core"].values()) for node in path["nodes"])
    assert {node["node"] for node in path["nodes"]} == {node["node"] for node in found["nodes"]}
    messages = [link for link in path["chain"] if link["peer"] is not None]
    assert messages and all(link["request"] for link in messages)
    text = emu("time", digits_image, "--arch", name, "--flow", flow, "--critical-path").stdout
    assert "critical path by node" in text and " to core " in text


def test_the_path_where_operations_wait_for_ports(emu: Emu, digits_image: Path, chip) -> None:
    path = chip()
    text = path.read_text().replace("[crossbar]", "[crossbar]\ndac_bits = 1")
    text = text.replace('model = "puma"', 'model = "puma"\nlocal_ports = 1\nwindow = 4')
    path.write_text(text + "[timing.adc]\nconvert_ns = 1\n[timing.local_memory]\nread_ns = 1\nwidth_bytes = 4\n")
    found = told(emu, digits_image, "--arch", path, "--critical-path")
    assert sum(found["critical_path"]["kinds"].values()) == found["latency_ps"]
    assert all(node["slack_ps"] is None for node in found["critical_path"]["nodes"])


def test_a_free_network_is_what_is_said_without_being_asked(emu: Emu, digits_image: Path) -> None:
    found = told(emu, digits_image, "--arch", "puma", "--what-if", "network=free", "--bottlenecks")
    for key in ("latency_ps", "period_ps"):
        assert found["what_if"][key] == found["without_communication"][key]
    (free,) = [each for each in found["bottlenecks"] if each["changes"] == {"network": 0.0}]
    assert free["latency_ps"] == found["what_if"]["latency_ps"]
    assert found["bottlenecks"][0]["latency_ps"] == min(each["latency_ps"] for each in found["bottlenecks"])


def test_dearer_resources_take_longer(emu: Emu, digits_image: Path) -> None:
    plain = told(emu, digits_image, "--arch", "puma")["latency_ps"]
    dear, half, same = (
        told(emu, digits_image, "--arch", "puma", "--what-if", f"crossbar={factor}")["what_if"]["latency_ps"]
        for factor in ("3x", "0.5x", "1x")
    )
    assert dear > plain >= half and same == plain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("adc", "write adc=free, or adc=2x"),
        ("adcs=free", "there is no resource 'adcs'"),
        ("adc=-1x", "write adc=free"),
        ("adc=nanx", "write adc=free"),
        ("adc=2", "write adc=free"),
        ("adc=free,adc=2x", "twice"),
        ("links=2x", "links can only be free"),
        ("", "there is no resource ''"),
    ],
)
def test_changes_that_make_no_sense(text: str, words: str) -> None:
    with pytest.raises(InputError, match="if") as error:
        parse_changes(text)
    assert words in str(error.value)


def refused(emu: Emu, *arguments: object) -> str:
    result = emu("time", *arguments)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def test_a_chip_without_times(emu: Emu, digits_image: Path) -> None:
    assert "architecture default has no table [timing]" in refused(emu, digits_image)


def test_all_missing_keys_are_named(emu: Emu, digits_image: Path, chip) -> None:
    path = chip()
    path.write_text(path.read_text().replace("read_ns = 100", "write_row_ns = 1"))
    sentence = refused(emu, digits_image, "--arch", path)
    assert "timing.crossbar.read_ns, timing.adc.convert_ns" in sentence and "crossbar.dac_bits" in sentence


def test_a_chip_that_is_too_small(emu: Emu, digits_image: Path, chip) -> None:
    sentence = refused(emu, digits_image, "--arch", chip(cores=2))
    assert "has 2 cores, but the programs use core " in sentence and "it would take 3 such chips" in sentence
    assert "chip.cores = 6 or more" in sentence
    sentence = refused(emu, digits_image, "--arch", chip(crossbars=1))
    assert "has 1 crossbar in a core, but core 0 of the programs takes 16 with its 2-bit cells" in sentence
    sentence = refused(emu, digits_image, "--arch", chip(rows=64))
    told = "crossbars of 64 x 128 f32 weights, but the programs were compiled for architecture default with 128 x 128"
    assert told in sentence


def test_programs_that_never_end(emu: Emu, tmp_path: Path, chip) -> None:
    out = write_image(tmp_path / "ring", ring(3, send_first=True))
    sentence = refused(emu, out, "--arch", "puma")
    assert "under rendezvous: deadlock: core 0 waits until core 1 takes" in sentence
    assert emu("time", out, "--arch", "puma", "--flow", "credits:1").exit_code == 0


def test_options_that_mean_nothing(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    sentence = refused(emu, digits_image, "--arch", "puma", "--build", "fork")
    assert "is a compiled directory, for which --build means nothing: leave it out" in sentence
    (tmp_path / "program.json").write_text("{}")
    assert "--samples and --flow mean nothing" in refused(
        emu, tmp_path / "program.json", "--samples", 2, "--flow", "rendezvous"
    )
    assert "name the configuration of its chip with --arch" in refused(emu, tmp_path / "program.json")
    result = emu("time", digits_image, "--arch", "puma", "--details", "--json")
    assert result.exit_code == 2 and "--details is of the text, --json has all: leave it out" in result.stderr


def test_the_peak_of_a_chip_without_energies_is_one_of_crossbars(emu: Emu, digits_image: Path, chip) -> None:
    path = chip()
    text = path.read_text().replace("[crossbar]", "[crossbar]\ndac_bits = 1")
    path.write_text(text + "[timing.adc]\nconvert_ns = 1\n")
    found = told(emu, digits_image, "--arch", path, "--peak-power")["peak_power"]
    assert found["power_mw"] is found["core_mw"] is found["at_ps"] is None and found["crossbars"] > 0
    lines = emu("time", digits_image, "--arch", path, "--peak-power").stdout
    assert "no peak power: " in lines and f"most crossbars at work at one time: {found['crossbars']}" in lines
    assert "peak_power" not in told(emu, digits_image, "--arch", path)


def test_the_peak_is_at_least_the_mean(emu: Emu, digits_image: Path) -> None:
    found = told(emu, digits_image, "--arch", "puma", "--peak-power")
    peak = found["peak_power"]
    assert peak["power_mw"] > found["power_mw"] and sum(peak["components"].values()) == pytest.approx(
        peak["dynamic_mw"]
    )
    assert 0 < peak["core_mw"] <= peak["dynamic_mw"] and peak["crossbars_of_core"] <= peak["crossbars"]

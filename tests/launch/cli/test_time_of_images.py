"""`emu time` of compiled directories: figures, JSON, CSV, and what is refused."""

import json
import re
from pathlib import Path

import pytest
from commands import Emu

from emu.errors import InputError
from emu.timing.changes import parse_changes

PAGE = (Path(__file__).parents[3] / "docs" / "json.md").read_text("utf-8")


def told(emu: Emu, *arguments: object) -> dict:
    result = emu("time", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


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


def test_all_fields_are_in_the_page(emu: Emu, digits_image: Path) -> None:
    text = PAGE.partition("## emu time\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", text))
    options = ("--critical-path", "--bottlenecks", "--what-if", "adc=free", "--peak-power")
    found = told(emu, digits_image, "--arch", "puma", *options)
    parts = ("components", "nodes", "cores", "units", "waits", "bottlenecks", "one_more")
    keys = {*found, *(key for part in parts for key in found[part][0]), *found["critical_path"], *found["static_mw"]}
    keys |= {*found["critical_path"]["chain"][0], *found["critical_path"]["nodes"][0], *found["peak_power"]}
    assert keys - {"schema"} <= named


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

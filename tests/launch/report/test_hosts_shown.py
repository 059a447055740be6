"""The report of a run over several hosts: where its cores stood, and what crossed between them."""

import json
from pathlib import Path

import pytest
from commands import Emu

from emu.image.reader import open_image
from emu.noc.traffic.traffic import with_memory
from launch.machines.capacities import HostCapacity
from launch.machines.host_cores import HostCores, host_cores
from launch.report.sources.given_hosts import host_values
from launch.report.sources.given_run import GivenRun

HOSTS = [HostCapacity("left", 1), HostCapacity("right", 2), HostCapacity("idle", 0)]


@pytest.fixture(scope="module")
def over(image: Path) -> HostCores:
    """The cores of the example network on two of three hosts."""
    opened = open_image(image)
    programs = {core: opened.program(core) for core in opened.cores}
    return host_cores("cut", with_memory(programs), dict.fromkeys(programs, 1), HOSTS)


def told(hosts: object) -> GivenRun:
    """The run, as its file has it, if it has that of hosts."""
    return GivenRun(Path("run.json"), {"hosts": hosts})


def test_what_a_run_tells_of_hosts_is_shown(image: Path, run_file: Path, over: HostCores, emu: Emu, tmp_path) -> None:
    run = json.loads(run_file.read_text()) | {"hosts": over.to_dict()}
    (tmp_path / "run.json").write_text(json.dumps(run))
    done = emu("report", image, "--run", tmp_path / "run.json", "--json")
    hosts = json.loads(done.stdout)["hosts"]
    assert [(each["host"], each["count"]) for each in hosts["of_each"]] == [
        (name, len(cores)) for name, cores in zip(over.hosts, over.cores, strict=True) if cores
    ]
    assert {(pair["from"], pair["to"]) for pair in hosts["pairs"]} >= {("left", "right"), ("right", "left")}
    assert sum(pair["bytes"] for pair in hosts["pairs"]) == hosts["bytes"] == over.cut.bytes
    assert sum(pair["messages"] for pair in hosts["pairs"]) == hosts["messages"] == over.cut.messages
    text = emu("report", image, "--run", tmp_path / "run.json", "--format", "text").stdout
    assert "between hosts, per sample" in text and "hosts in use" in text


def test_a_run_on_one_machine_has_none(image: Path, run_file: Path, emu: Emu) -> None:
    assert json.loads(emu("report", image, "--run", run_file, "--json").stdout)["hosts"] is None
    assert host_values(None) is None


def test_what_is_none_is_not_shown(over: HostCores) -> None:
    right = over.to_dict()
    assert host_values(told(right)) is not None
    for odd in ({"messages": -1}, {"of_each": {}}, {"of_each": [{"host": "h", "cores": [1.5]}]}, {"pairs": [3]}):
        assert host_values(told(right | odd)) is None
    assert host_values(told(None)) is None and host_values(GivenRun(Path("run.json"), {})) is None

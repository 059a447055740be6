"""What hosts grant, judged from plain facts: versions that differ, bits that differ, what is short there."""

import json
from dataclasses import replace

import pytest

from launch.cli.host_doctor import host_answer
from launch.machines.examining import HostExamined, examined, own_checks
from launch.machines.facts import MachineFacts, facts_from
from launch.system.doctor import FAIL, OK, WARN, DoctorCheck, examine
from launch.text.answer import Table

VERSIONS = {"emu": "1", "numpy": "2.4", "pyzmq": "27", "msgpack": "1", "python": "3.11", "images": "4"}
BITS = {"as it is": "aa", "with zeros": "bb", "functions": "ff"}
OWN = MachineFacts(versions=VERSIONS, bits=BITS)
FACTS = replace(OWN, address="10.0.0.2", cpus=8, memory=3 << 30, nofile=4096)


def statuses(host: HostExamined) -> dict[str, str]:
    return {check.name: check.status for check in host.checks}


def parts(cores: int, *hosts: HostExamined) -> tuple[Table, list[str]]:
    table, *lines = host_answer(cores, examined(OWN, hosts)).parts
    assert isinstance(table, Table)
    return table, lines


def test_hosts_that_can_run_a_chip_together():
    hosts = [HostExamined("h1", FACTS, [DoctorCheck("memory", OK, "much")]), HostExamined("h2", FACTS, [])]
    table, lines = parts(64, *hosts)
    assert table.columns == ["host", "address", "CPUs", "memory", "open files", "emu", "Python", "NumPy", "pyzmq", ""]
    assert table.rows[0] == ["h1", "10.0.0.2", "8", "3 GiB", "4,096", "1", "3.11", "2.4", "27", "ok"]
    assert lines == ["ready for 64 core processes on 2 hosts"]
    answer = host_answer(64, examined(OWN, hosts))
    assert answer.exit_code == 0 and answer.values["ready"]
    (one, _) = json.loads(json.dumps(answer.values))["hosts"]
    assert one.pop("checks")[0] == {"name": "versions", "status": "ok", "found": "those of the launcher", "advice": ""}
    assert one == {"name": "h1", **{name: value for name, value in FACTS.to_dict().items() if name != "bits"}}


def test_a_host_without_a_limit_of_open_files():
    table, _ = parts(1, HostExamined("h1", replace(FACTS, nofile=None), []), HostExamined("h2", FACTS, []))
    assert [row[4] for row in table.rows] == ["no limit", "4,096"]


def test_versions_that_differ_are_named():
    other = HostExamined("h2", replace(FACTS, versions={**VERSIONS, "numpy": "2.3"}), [])
    table, lines = parts(64, HostExamined("h1", FACTS, []), other)
    assert [row[7:] for row in table.rows] == [["2.4", "27", "ok"], ["2.3", "27", "fail"]]
    assert lines == [
        "host h2: versions: has numpy 2.3 and the launcher 2.4: install the same on both",
        "not ready for 64 core processes on 2 hosts",
    ]
    assert host_answer(64, examined(OWN, [other])).exit_code == 2


@pytest.mark.parametrize(("versions", "cpus"), [(None, -1), ("2.3", True), ({}, 0), ({1: []}, 1 << 40)])
def test_facts_of_another_version_may_be_any(versions, cpus):
    (host,) = examined(OWN, [HostExamined("h1", facts_from({"versions": versions, "cpus": cpus, "address": 5}), [])])
    assert statuses(host) == {"versions": FAIL}
    assert host_answer(1, [host]).values["hosts"][0]["cpus"] is None
    assert len(list(host_answer(1, [host]).parts)) == 3


def test_a_host_whose_products_have_other_bits_is_named():
    others = [
        HostExamined("h1", replace(FACTS, bits={"with zeros": "bb", "functions": "ff"}), []),
        HostExamined("h2", replace(FACTS, bits={"as it is": "aa", "functions": "ff"}), []),
        HostExamined("h3", replace(FACTS, bits={"as it is": "xx", "with zeros": "bb", "functions": "ff"}), []),
    ]
    found = examined(OWN, others)
    assert [statuses(host)["equal bits"] for host in found] == [OK, FAIL, OK]
    assert "host h2 has no way of multiplying whose bits are those of the launcher" in found[1].checks[1].found


def test_what_is_short_on_a_host_is_told_with_its_name():
    short = HostExamined("h1", FACTS, [DoctorCheck("memory", FAIL, "1 MiB available", "use fewer cores")])
    warned = HostExamined("h2", FACTS, [DoctorCheck("BLAS", WARN, "slow")])
    table, lines = parts(1, short, warned)
    assert [row[-1] for row in table.rows] == ["fail", "warn"]
    assert lines == [
        "host h1: memory: 1 MiB available: use fewer cores",
        "host h2: BLAS: slow",
        "not ready for 1 core process on 2 hosts",
    ]


def test_a_part_of_a_chip_needs_files_for_all_of_it_and_memory_for_its_own():
    def found(*counts: int) -> dict[str, str]:
        return {check.name: check.found for check in examine(*counts)}

    part, alone = found(8, 1000), found(8)
    assert part["open files"] != alone["open files"] == found(8, 3)["open files"]
    assert part["memory"].partition("available")[2] == alone["memory"].partition("available")[2]


def test_an_agent_tells_of_room_for_files(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    check = own_checks(1, 1)[-1]
    assert check.name == "files of images" and check.found.startswith("0 B of 16 GiB kept, ")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    check = own_checks(1, 1)[-1]
    assert check.status == FAIL and check.found.startswith(f"{tmp_path / 'file' / 'emu' / 'files'}: cannot be written")

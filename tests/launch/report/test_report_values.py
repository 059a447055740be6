"""The figures of a report are those of `emu info`, `emu compile --report`, `emu time` and the run, and add up."""

import json
from collections import Counter
from pathlib import Path

import pytest
from commands import DIGITS, Emu

from emu.errors import InputError
from emu.image.reader import open_image
from emu.isa.table import BY_CODE
from emu.program.nesting import executions
from launch.report.report import Values, report_values
from launch.report.sources.subject import read_subject


@pytest.fixture(scope="module")
def info(image: Path) -> dict:
    from click.testing import CliRunner

    from launch.cli import cli

    return json.loads(CliRunner().invoke(cli, ["info", str(image), "--json"]).stdout)


def test_cores_are_those_of_info(values: Values, info: dict) -> None:
    assert [core["core"] for core in values["cores"]] == [core["core"] for core in info["cores"]]
    for ours, theirs in zip(values["cores"], info["cores"], strict=True):
        for name in ("crossbars", "weight_bytes", "memory", "instructions"):
            assert ours[name] == theirs[name], name
        assert (ours["sent_messages"], ours["sent_bytes"]) == (theirs["messages"], theirs["message_bytes"])
        assert set(ours["nodes"]) == set(theirs["nodes"])
    assert values["totals"]["crossbar_share"] == info["crossbar_share"]
    assert values["totals"]["byte_hops"] == info["byte_hops"]


def test_sums_agree(values: Values) -> None:
    cores, nodes, totals = values["cores"], values["nodes"], values["totals"]
    assert sum(core["macs"] for core in cores) == sum(node["macs"] for node in nodes) == totals["macs"] > 0
    for node in nodes:
        assert sum(node["macs_by_core"].values()) == node["macs"]
        assert {int(core) for core in node["macs_by_core"]} <= set(node["cores"])
    assert sum(core["sent_bytes"] for core in cores) == sum(core["received_bytes"] for core in cores) == totals["bytes"]
    assert sum(pair["messages"] for pair in values["traffic"]) == totals["messages"]
    assert sum(link["bytes"] for link in values["chip"]["links"]) == totals["byte_hops"]
    assert sum(node["crossbars"] for node in nodes) == totals["crossbars"]
    mixes = Counter[str]()
    for core in cores:
        mixes.update(core["executed"])
    assert mixes == {row["instruction"]: row["executed"] for row in values["instructions"]}


def test_instructions_are_counted_as_often_as_they_run(values: Values, image: Path) -> None:
    counts = Counter[str]()
    reader = open_image(image)
    for core in reader.cores:
        main = reader.program(core).main
        for op, times in zip(main.columns["op"].tolist(), executions(main).tolist(), strict=True):
            counts[BY_CODE[op].name] += times
    assert counts == {row["instruction"]: row["executed"] for row in values["instructions"]}


def test_cores_and_nodes_belong_together(values: Values) -> None:
    by_core = {core["core"]: set(core["nodes"]) for core in values["cores"]}
    for node in values["nodes"]:
        assert {core for core, nodes in by_core.items() if node["node"] in nodes} == set(node["cores"]), node["node"]
    known = {node["node"] for node in values["nodes"]}
    assert all(set(edge) <= known for edge in values["graph"]["edges"])


def test_times_and_energies_are_those_of_time(values: Values, image: Path, emu: Emu) -> None:
    told = json.loads(emu("time", image, "--critical-path", "--json").stdout)
    for name in ("latency_ps", "period_ps", "energy_pj", "power_mw", "area_mm2", "blocked_ps", "components"):
        assert values["time"][name] == told[name], name
    for ours, theirs in zip(values["cores"], told["cores"], strict=True):
        assert (ours["end_ps"], ours["blocked_ps"], ours["energy_pj"]) == (
            theirs["end_ps"],
            theirs["blocked_ps"],
            theirs["dynamic_pj"],
        )
    busiest = told["busiest"]
    assert max((core["busy_ps"], core["core"]) for core in values["cores"])[0] == busiest["busy_ps"]
    for name, ours in (("compute_ps", "compute_ps"), ("transfer_ps", "transfer_ps")):
        whole = sum(node[name] for node in told["nodes"])
        assert sum(node[ours] or 0 for node in values["nodes"]) == whole
    path = values["critical_path"]
    assert (
        path["kinds"] == told["critical_path"]["kinds"] and sum(path["kinds"].values()) == values["time"]["latency_ps"]
    )
    assert sum(node["path_ps"] or 0 for node in values["nodes"]) <= path["latency_ps"]
    assert [link["begin_ps"] for link in path["chain"]] == [link["begin_ps"] for link in told["critical_path"]["chain"]]


def test_operators_and_the_mapping_are_those_of_the_compiler(
    values: Values, image: Path, emu: Emu, tmp_path: Path
) -> None:
    arch = tmp_path / "chip.toml"
    arch.write_text(emu("arch", "tiny").stdout)
    told = json.loads(emu("compile", DIGITS, "-o", tmp_path / "out", "--report", "--arch", arch, "--json").stdout)[
        "report"
    ]
    assert {node["node"]: node["kind"] for node in told["nodes"] if node["where"]}.items() <= {
        node["node"]: node["kind"] for node in values["nodes"]
    }.items()


def test_the_verdict_and_errors_are_those_of_the_run(values: Values, run_file: Path) -> None:
    run = json.loads(run_file.read_text())
    assert values["verdict"]["state"] == "right" and values["verdict"]["exit_code"] == 0
    tensors = [*run["verdict"]["tensors"], *run["kept"]["tensors"]]
    assert [t["name"] for t in values["verdict"]["tensors"]] == list(dict.fromkeys(t["name"] for t in tensors))
    assert values["verdict"]["tensors"][0]["tolerance"] == run["verdict"]["tensors"][0]["tolerance"]
    errors = {node["node"]: node["error"] for node in values["nodes"] if node["error"]}
    for tensor in run["kept"]["tensors"]:
        assert tensor["node"] and errors[tensor["node"]]["relative"] >= tensor["relative"]
    assert values["real"]["run_seconds"] == run["run_seconds"]
    assert values["real"]["seconds_per_sample"] == run["measures"]["seconds_per_sample"]


def test_the_peak_of_power_is_looked_for_where_it_is_asked_for(
    emu: Emu, image: Path, values: Values, digits: Path
) -> None:
    found = report_values(read_subject(image), peak_power=True)
    timed = json.loads(emu("time", image, "--peak-power", "--json").stdout)
    assert values["time"]["peak_power"] is None
    assert found["time"]["peak_power"] == timed["peak_power"] and found["time"]["peak_power"]["power_mw"] > 0
    with pytest.raises(InputError, match=r"peak_power is of simulated time: .*no table \[timing\]"):
        report_values(read_subject(digits), peak_power=True)


def test_without_anything_else_what_there_is_not_is_said(digits: Path) -> None:
    found = report_values(read_subject(digits))
    assert found["verdict"]["state"] == "no run" and found["real"] is None
    assert found["time"] is found["timeline"] is found["critical_path"] is None
    assert all(core["energy_pj"] is None for core in found["cores"])
    absent = {entry["what"]: entry["why"] for entry in found["absent"]}
    assert "emu launch" in absent["verdict and error"]
    assert "[timing]" in absent["simulated time and energy, timeline, critical path"]
    assert "operators of nodes" in absent and found["graph"]["source"] == "programs"
    json.dumps(found, allow_nan=False)


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """On a chip without times."""
    from click.testing import CliRunner

    from launch.cli import cli

    out = tmp_path_factory.mktemp("plain") / "digits"
    CliRunner().invoke(cli, ["compile", str(DIGITS), "-o", str(out), "--cores", "16", "--golden", "none"])
    return out


def test_a_chip_that_is_asked_for_must_do(image: Path, emu: Emu) -> None:
    refused = emu("report", image, "--arch", "puma")
    assert refused.exit_code == 2 and "puma" in refused.stderr and refused.stderr.count("\n") == 1

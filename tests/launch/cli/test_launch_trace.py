"""`emu launch --trace`: what it tells, what it refuses, and what a run that fails leaves."""

import json
from pathlib import Path

import pytest
from commands import DIGITS, Emu
from traces import check_trace, read_trace

from launch.tracing.options import MOST
from launch.tracing.trace_file import FORMATS


@pytest.mark.parametrize("end", FORMATS)
def test_a_run_tells_where_its_trace_is(emu: Emu, digits_image: Path, tmp_path: Path, end: str) -> None:
    file = tmp_path / f"run{end}"
    result = emu("launch", digits_image, "--trace", file)
    assert result.exit_code == 0 and "PASS" in result.stdout
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("trace: ")]
    assert line.endswith(f" events in {file}: open it at ui.perfetto.dev") and "warning" not in result.output
    check_trace(read_trace(file))
    told = json.loads(emu("launch", digits_image, "--trace", file, "--sequential", "--json").stdout)
    assert line == f"trace: {told['trace']['events']} events in {file}: open it at ui.perfetto.dev"
    events = told["trace"]["events"]
    assert told["trace"] == {"file": str(file), "events": events, "most": MOST, "dropped": {}, "hosts": []}
    assert json.loads(emu("launch", digits_image, "--json").stdout)["trace"] is None


def test_what_is_dropped_is_told(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.pftrace"
    result = emu("launch", digits_image, "--trace", file, "--trace-events", "3")
    assert result.exit_code == 0
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("warning: ")]
    told = json.loads(emu("launch", digits_image, "--trace", file, "--trace-events", "3", "--json").stdout)["trace"]
    cores = len(told["dropped"])
    assert (told["events"], told["most"]) == (3 * cores, 3) and cores > 1
    assert line == (
        f"warning: the oldest {sum(told['dropped'].values())} events of cores 0-{cores - 1} are not in the trace,"
        " which keeps 3 of each core"
    )
    check_trace(read_trace(file))


def test_simulated_time_beside_it(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    own, file = tmp_path / "own", tmp_path / "run.json"
    assert emu("compile", DIGITS, "-o", own, "--arch", "puma", "--samples", "1").exit_code == 0
    for image, chip in ((own, "own"), (own, "puma"), (digits_image, "puma")):
        assert emu("launch", image, "--trace", file, "--beside", chip).exit_code == 0
        groups = {where[0] for where in read_trace(file).tracks}
        assert len(groups) == 2 and any(group.startswith("simulated time on puma, ") for group in groups)
    result = emu("launch", digits_image, "--trace", file, "--beside", "own")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert "no table [timing]" in result.stderr and "--beside puma" in result.stderr


def test_a_failed_run_leaves_its_trace(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.pftrace"
    result = emu("launch", digits_image, "--trace", file, "--chaos", "kill:1@2", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == told["exit_code"] == 5
    assert told["trace"]["file"] == str(file) and told["trace"]["events"] > 0
    assert f"events in {file}: open it" in result.stderr
    check_trace(read_trace(file))


def test_a_series_traces_its_undisturbed_run(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.json.gz"
    result = emu("launch", digits_image, "--trace", file, "--chaos", "kill:1@2", "--chaos-runs", "1")
    assert result.exit_code == 5
    assert all(track[-1].name == "sample 1" for track in read_trace(file).tracks.values())

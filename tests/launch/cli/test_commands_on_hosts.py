"""Commands with `--hosts`: what observes, disturbs, keeps and continues a run does so over agents, too."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS, Emu
from traces import check_trace, read_trace

from launch.tracing.run_tracks import is_real

HOSTS = ("--hosts", "local:2")


def arrays(path: Path) -> dict[str, bytes]:
    with np.load(path) as file:
        return {name: file[name].tobytes() for name in file.files}


@pytest.mark.full
def test_a_run_is_traced_killed_and_continued(emu: Emu, tmp_path: Path) -> None:
    """The samples that were finished, and what was recorded, are there; all of it has the bits of one machine."""
    emu("compile", DIGITS, "--cores", "16", "-o", tmp_path / "net")
    np.savez(tmp_path / "x.npz", in0=np.random.default_rng(3).random((8, 1, 8, 8), np.float32))
    run = ("launch", tmp_path / "net", "--input", tmp_path / "x.npz", "--golden", "none", "--keep", "all", "--json")
    assert emu(*run, "--save", tmp_path / "one.npz").exit_code == 0
    part, trace = tmp_path / "part.npz", tmp_path / "killed.json"
    killed = emu(*run, *HOSTS, "--save", part, "--trace", trace, "--chaos", "kill:4@12")
    assert killed.exit_code == 5
    told = json.loads(killed.stdout)
    assert told["error"].startswith("core 4 on host local-1 was killed by SIGKILL") and told["injected"] == {"kill": 1}
    assert [(host["host"], host["whole"]) for host in told["trace"]["hosts"]] == [("local-0", True), ("local-1", True)]
    read = read_trace(trace)
    check_trace(read, 2 * max(host["clock_ns"] for host in told["trace"]["hosts"]))
    assert len([where for where in read.tracks if is_real(where[0])]) == 5
    assert not part.exists()
    rest = emu(*run, *HOSTS, "--save", part, "--resume", "--trace", tmp_path / "rest.pftrace")
    assert rest.exit_code == 0 and json.loads(rest.stdout)["trace"]["events"] > 0
    assert arrays(part) == arrays(tmp_path / "one.npz")


@pytest.mark.full
def test_traffic_between_hosts_is_metered(emu: Emu) -> None:
    found = json.loads(emu("stress", "ring", "--cores", "4", "--count", "20", *HOSTS, "--json").stdout)
    assert (found["errors"], found["send_seconds"]["count"], found["hosts"]["messages"]) == (0, 80, 40)
    assert [each["cores"] for each in found["hosts"]["of_each"]] == [[], [0, 1], [2, 3]]


def test_what_is_not_for_hosts_says_so(emu: Emu, tmp_path: Path) -> None:
    debugged = emu("debug", tmp_path, *HOSTS)
    assert debugged.exit_code == 2
    assert "--hosts is for cores that are processes; the debugger runs all of them here" in debugged.stderr
    stressed = emu("stress", "ring", "--host-cores", "cut")
    assert stressed.exit_code == 2 and "--host-cores says which cores stand on which: give --hosts" in stressed.stderr

"""Runs on four hosts with networks, files and processes of their own: cables that are cut, hosts without power."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest
from commands import DIGITS, SAMPLES
from namespaces import Lab
from traces import check_trace, read_trace

import compiler

PATIENCE = 120.0
pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    return compiler.compile(DIGITS, out=tmp_path_factory.mktemp("images") / "digits").out


@pytest.fixture
def lab(tmp_path):
    (tmp_path / "lab").mkdir()
    with Lab(tmp_path / "lab") as made:
        yield made


class Command:
    """`emu launch` on hosts h1 to h4; `saved` is the file of its outputs, which grows as samples end."""

    def __init__(self, lab, image, folder, *more):
        self.saved = folder / "saved.npz"
        where = ",".join(host.name for host in lab.hosts)
        words = ["launch", image, "--hosts", where, "--golden", "none", "--input", SAMPLES, "--save", self.saved, *more]
        self._process = lab.launcher(
            [sys.executable, "-m", "launch", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def wait_for_samples(self):
        """Wait until some samples have ended."""
        partial, until = self.saved.with_name("saved.npz.partial"), time.monotonic() + PATIENCE
        while not partial.exists() or partial.stat().st_size < 3000:
            assert time.monotonic() < until and self._process.poll() is None
            time.sleep(0.05)

    def kill(self):
        """Kill the launcher, and nobody else."""
        self._process.kill()

    def end(self):
        """Exit code and what it has printed."""
        output, _ = self._process.communicate(timeout=PATIENCE)
        return self._process.returncode, output


def all_gone(hosts):
    until = time.monotonic() + PATIENCE
    while any(host.processes() for host in hosts):
        assert time.monotonic() < until, [host.processes() for host in hosts]
        time.sleep(0.1)


def outputs(path):
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def test_a_trace_of_hosts_whose_clocks_are_hours_apart_is_one_picture(tmp_path, digits):
    """As well as clocks are known, no message is received before it is sent, nor acknowledged before it is awaited."""
    (tmp_path / "lab").mkdir()
    file = tmp_path / "run.json"
    with Lab(tmp_path / "lab", apart=5000) as lab:
        code, said = Command(lab, digits, tmp_path, "--trace", file, "--json").end()
        assert code == 0, said
        all_gone(lab.hosts)
    hosts = json.loads(said[said.index("{") :])["trace"]["hosts"]
    assert [host["host"] for host in hosts] == ["h1", "h2", "h3", "h4"] and all(host["whole"] for host in hosts)
    wrong = 2 * max(host["clock_ns"] for host in hosts)
    assert wrong < 50_000_000
    read = read_trace(file)
    check_trace(read, wrong)
    sends = {flow: one for one in read.slices for flow in one.starts}
    between = 0
    for taken in read.slices:
        for message in taken.inner:
            for flow in message.ends:
                sent = sends[flow]
                between += sent.where[0] != taken.where[0]
                assert sent.begin <= taken.end + wrong and taken.begin <= sent.end + wrong
    assert between > 20


def test_a_cable_that_is_cut_for_two_seconds_changes_nothing(lab, digits, tmp_path):
    command = Command(lab, digits, tmp_path, "--repeat", "2")
    command.wait_for_samples()
    lab.hosts[1].cut()
    time.sleep(2)
    lab.hosts[1].heal()
    code, said = command.end()
    assert code == 0, said
    all_gone(lab.hosts)
    alone = [sys.executable, "-m", "launch", "launch", digits, "--sequential", "--golden", "none", "--input", SAMPLES]
    expected = tmp_path / "expected.npz"
    subprocess.run([*alone, "--repeat", "2", "--save", expected], check=True, capture_output=True)
    found, right = outputs(command.saved), outputs(expected)
    assert found.keys() == right.keys()
    assert all(np.array_equal(found[name], right[name]) for name in right)


def test_a_host_whose_cable_is_cut_is_lost_and_ends_its_cores(lab, digits, tmp_path):
    command = Command(lab, digits, tmp_path, "--repeat", "100000")
    command.wait_for_samples()
    lab.hosts[1].cut()
    code, said = command.end()
    assert code == 5, said
    assert "error: host h2 is lost (core" in said
    assert "finished samples are kept" in said
    all_gone(lab.hosts)  # also there, where nobody could say so


def test_a_host_without_power_is_lost(lab, digits, tmp_path):
    command = Command(lab, digits, tmp_path, "--repeat", "100000")
    command.wait_for_samples()
    lab.hosts[2].kill()
    code, said = command.end()
    assert code == 5, said
    assert "error: host h3 is lost (core" in said
    all_gone([host for host in lab.hosts if host is not lab.hosts[2]])


def test_nothing_is_left_on_hosts_whose_launcher_is_killed(lab, digits, tmp_path):
    command = Command(lab, digits, tmp_path, "--repeat", "100000")
    command.wait_for_samples()
    command.kill()
    command.end()
    all_gone(lab.hosts)

"""Networks on hosts that an engine has placed: the bits of one machine, whatever their processors; what is refused."""

import subprocess
import sys

import numpy as np
import pytest
from commands import DIGITS, SAMPLES
from host_kinds import alike, runs

import compiler
from emu.core.products.probe import fastest
from emu.errors import InputError
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential
from launch.machines.agreement import FUNCTIONS
from launch.machines.engines import table
from launch.machines.hosts import hosts as of_hosts
from launch.processes.interpreter import child_environment
from launch.processes.options import RunOptions


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    return compiler.compile(DIGITS, out=tmp_path_factory.mktemp("images") / "digits").out


@pytest.fixture
def kinds(monkeypatch):
    monkeypatch.setattr(table, "ENGINES", {**table.ENGINES, "kinds": "host_kinds:Kinds"})


def samples(count):
    with np.load(SAMPLES) as file:
        (name,) = [name for name in file.files if file[name].ndim == 4]
        return [{name: file[name][k : k + 1]} for k in range(count)]


def results(chip, count=6):
    return [
        ({name: value.tobytes() for name, value in result.outputs.items()}, result.captures)
        for result in chip.stream(samples(count))
    ]


def test_an_empty_text_is_no_engine(digits, emu_zygotes):
    """As of a variable of a script that nobody has set: the cores do not stay on this machine by mistake."""
    with pytest.raises(InputError, match="hosts '' names no engine"), power_on(digits, hosts="", zygotes=emu_zygotes):
        pass


@pytest.mark.skipif(not alike(), reason="OpenBLAS has no two kinds of kernels for this processor that round alike")
def test_hosts_of_several_kinds_have_the_bits_of_one_process(digits, emu_zygotes, kinds):
    with power_on_sequential(digits) as chip:
        expected = results(chip, 3)
    with power_on(digits, hosts=f"kinds:{','.join(alike())}", zygotes=emu_zygotes) as chip:
        assert results(chip, 3) == expected


@pytest.mark.skipif(not (runs("Sandybridge") and runs("Haswell")), reason="this processor has not both kernels")
@pytest.mark.full
def test_hosts_agree_where_only_the_slowest_way_is_alike(digits, emu_zygotes, kinds):
    bits = []
    for where in ("kinds:Sandybridge,Haswell", "kinds:Haswell,Sandybridge"):
        with power_on(digits, hosts=where, zygotes=emu_zygotes) as chip:
            bits.append(results(chip, 3))
    assert bits[0] == bits[1]


def test_a_host_that_computes_otherwise_is_named(digits, emu_zygotes, monkeypatch):
    monkeypatch.setattr(of_hosts, "own_bits", lambda: {fastest().name: "other", FUNCTIONS: "other"})
    said = "host local-0 computes exponentials and other functions with other bits than the launcher"
    with pytest.raises(InputError, match=said), power_on(digits, hosts="local:1", zygotes=emu_zygotes):
        pass


def test_hosts_take_a_network_and_nothing_that_shares_memory(digits, emu_zygotes):
    assert RunOptions(hosts="local:2").transport == "tcp"
    with (
        pytest.raises(InputError, match=r"local-0, local-1 have not joined within 0\.01 s"),
        power_on(digits, hosts="local:2", join_timeout=0.01, zygotes=emu_zygotes),
    ):
        pass


def test_the_command_runs_on_hosts(digits):
    command = [sys.executable, "-m", "launch", "launch", str(digits), "--hosts", "local:2", "--golden", "none"]
    answer = subprocess.run(command, capture_output=True, text=True, env=child_environment(), check=False)
    assert answer.returncode == 0, answer.stderr
    assert "over ZeroMQ tcp" in answer.stdout

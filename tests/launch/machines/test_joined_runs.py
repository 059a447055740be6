"""Runs over several machines: the same bits, errors and words as on one, and nothing left behind."""

import os
import signal
import threading
import time
from pathlib import Path

import losing
import never_joining
import numpy as np
import pytest
from commands import EXAMPLES
from images import byte_tensor, write_endless, write_image
from joined_hosts import Fresh, hosts, power_on_hosts
from program_sets import DEADLOCKS, SLOT, ordered_messages
from run_processes import stopped, wait_for
from stepper import program
from tensors import image_buffer

import compiler
from emu.chaos.spec import Chaos
from emu.errors import EmuError, InputError
from emu.isa.dtypes import DType
from emu.noc.wire.transports import TRANSPORTS
from emu.program.program import Program
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential
from launch.processes.local_machine import LocalMachine
from launch.supervision.errors import CoreDied, CoreTrapped, Deadlock, MessageLost, NeverStarted, RunTimeout

CORES = 4
ORDER = [(0, 1, 60), (1, 2, 1), (2, 3, 33), (3, 0, 61), (0, 2, 7), (2, 1, 61), (1, 3, 30), (3, 2, 50), (0, 3, 61)] * 3
FILL = ("lldi", 0, 7, 8)


@pytest.fixture
def mixed(tmp_path):
    """Four cores that exchange messages in one order; two of them also read the input."""
    return write_image(tmp_path / "mixed", ordered_messages(CORES, ORDER), (), (byte_tensor("y", 4 * SLOT * CORES, 0),))


@pytest.fixture
def relay(tmp_path):
    """x of 100 bytes goes through four cores to y; core 1 keeps it as tensor `middle`."""
    programs = {
        0: program(0, ("ld", 0, 1000, 100), ("send", 1, 0, 100)),
        1: program(1, ("recv", 0, 0, 100), ("send", 2, 0, 100)),
        2: program(2, ("recv", 1, 8, 100), ("send", 3, 8, 100)),
        3: program(3, ("recv", 2, 8, 100), ("st", 0, 8, 100)),
    }
    middle = image_buffer("middle", (0, 100), 1, 1, DType.u8, 0, 1)
    programs[1] = Program(1, main=programs[1].main, buffers=(middle,))
    return write_image(tmp_path / "relay", programs, (byte_tensor("x", 100, 1000),), (byte_tensor("y", 100, 0),))


def samples(count):
    return [{"x": np.full((1, 100), k + 1, np.uint8)} for k in range(count)]


@pytest.mark.parametrize(("count", "flow"), [(2, "rendezvous"), (4, "credits:2")])
def test_the_same_bits_as_in_one_process(mixed, emu_zygotes, count, flow):
    with power_on_sequential(mixed, flow=flow, engine="step") as chip:
        expected = chip.run({})["y"]
    with power_on_hosts(mixed, emu_zygotes, count, flow=flow) as chip:
        for result in chip.stream([{}] * 3):
            assert np.array_equal(result.outputs["y"], expected)


def test_samples_stream_in_order_with_captures(relay, emu_zygotes):
    with power_on_hosts(relay, emu_zygotes, keep=["all"], cores=7) as chip:
        results = list(chip.stream(samples(70)))
        assert [result.sample for result in results] == list(range(70))
        for k, result in enumerate(results):
            assert result.outputs["y"].tolist() == [[k + 1] * 100]
            assert result.captures == {(1, 0): bytes([k + 1] * 100)}
        assert chip.run(samples(1)[0])["y"][0, 0] == 1
        assert (chip.cores, chip.cores_with_program) == (7, (0, 1, 2, 3))


def test_cores_may_stand_beside_the_memory_node(relay, emu_zygotes, tmp_path):
    (tmp_path / "hosts.toml").write_text('launcher = "1, 4"\nh1 = "3"\nh2 = "0, 2"\n')
    with power_on_hosts(relay, emu_zygotes, cores=5, host_cores=str(tmp_path / "hosts.toml")) as chip:
        assert [int(result.outputs["y"][0, 0]) for result in chip.stream(samples(9))] == list(range(1, 10))
        assert set(chip.processes) >= {
            *("the memory node", "the zygote process", "core 1", "core 3 on host h1", "core 0 on host h2"),
            *("core 2 on host h2", "the zygote process on host h1", "the zygote process on host h2"),
        }


def test_the_board_is_that_of_all_machines(relay, emu_zygotes):
    with power_on_hosts(relay, emu_zygotes) as chip:
        assert chip.run(samples(1)[0])["y"][0, 0] == 1
        wait_for(lambda: chip.board.sent.sum() == 3 == chip.board.taken.sum())
        assert chip.board.sent[0, 1] == chip.board.taken[1, 0] == 1
        assert sorted(chip.board.processes) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "name", ["recv cycle of 2", "send cycle of 3", "chain to a halted core", "wait that nobody syncs"]
)
def test_a_deadlock_is_told_as_on_one_machine(tmp_path, emu_zygotes, name):
    programs, edges, halted = DEADLOCKS[name]
    image = write_image(tmp_path / "image", programs)
    with power_on_sequential(image) as chip, pytest.raises(Deadlock) as expected:
        chip.run({})
    with power_on_hosts(image, emu_zygotes) as chip:
        began = time.monotonic()
        with pytest.raises(Deadlock) as error:
            chip.run({})
        assert time.monotonic() - began < 5
    assert [edge.edge for edge in error.value.report.edges] == edges and error.value.report.halted == halted
    assert str(error.value) == str(expected.value)


def test_both_ends_of_a_misfit_message_trap(tmp_path, emu_zygotes):
    programs = {0: program(0, FILL, ("send", 1, 0, 8)), 1: program(1, ("recv", 0, 0, 4))}
    image = write_image(tmp_path / "image", programs)
    with power_on_hosts(image, emu_zygotes) as chip, pytest.raises(CoreTrapped) as error:
        chip.run({})
    assert [record.core for record in error.value.records] == [0, 1]


def test_what_a_sample_leaves_behind_is_an_error(tmp_path, emu_zygotes):
    image = write_image(tmp_path / "image", {0: program(0, FILL, ("sync", 1, 2)), 1: program(1, FILL)})
    with (
        power_on_hosts(image, emu_zygotes) as chip,
        pytest.raises(EmuError, match="syncs event 2 of core 1 1 time and"),
    ):
        chip.run({})


@pytest.fixture
def endless(tmp_path):
    return write_endless(tmp_path / "endless")


def kill(chip, name):
    """Kill a process once core 0 computes."""

    def work():
        wait_for(lambda: any("core 0 on host h1 was computing after main[1]" in text for text in told(chip)))
        os.kill(chip.processes[name], signal.SIGSEGV)

    killer = threading.Thread(target=work)
    killer.start()
    return killer


def told(chip):
    return chip.supervisor.inspector.unfinished()


@pytest.mark.parametrize(
    ("victim", "words"),
    [
        ("core 0 on host h1", r"core 0 on host h1 was killed by SIGSEGV, last seen at main\[1\] st"),
        ("the zygote process on host h2", "the zygote process on host h2 was killed by SIGSEGV"),
        ("the memory node", "the memory node was killed by SIGSEGV"),
    ],
)
def test_who_is_killed_is_named_with_its_host(endless, emu_zygotes, victim, words):
    with power_on_hosts(endless, emu_zygotes, engine="step") as chip:
        killer = kill(chip, victim)
        with pytest.raises(CoreDied, match=words):
            chip.run({})
        killer.join()


def test_a_stopped_core_is_told_with_its_host_and_nothing_is_lost(relay, emu_zygotes):
    notes = []
    with power_on_hosts(relay, emu_zygotes, notice=notes.append) as chip:
        chip.run(samples(1)[0])  # all have heard of the start
        with stopped(chip.processes["core 2 on host h2"]):
            chip.supervisor.timeout = TRANSPORTS["tcp"].grace + 0.5
            with pytest.raises(RunTimeout) as error:
                chip.run(samples(1)[0])
    stopped_one, *waiting = error.value.unfinished
    assert stopped_one.startswith("core 2 on host h2 is stopped (SIGSTOP)")
    assert waiting[0].startswith("core 1 on host h1 waited until core 2 on host h2 takes message 1 at main[1]")
    assert len(notes) == 1 and notes[0].startswith("core 2 on host h2 is stopped (SIGSTOP)")


@pytest.mark.full
def test_who_never_joins_is_named_with_its_host(relay, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(never_joining.__file__).parent))
    run = power_on_hosts(relay, Fresh(), observers=[never_joining.Fate(2, "silent")], timeout=500)
    with pytest.raises(NeverStarted) as error, run:
        pass
    assert error.value.waits[:2] == [
        "the memory node waits for core 2 on host h2 to join",
        "core 2 on host h2 has not said yet where it listens",
    ]


@pytest.mark.full
def test_a_lost_message_is_told_once_all_machines_are_at_rest(relay, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(losing.__file__).parent))
    with power_on_hosts(relay, Fresh(), observers=[losing.Losing(1)]) as chip:
        began = time.monotonic()
        with pytest.raises(MessageLost, match="message 0 from core 1 to core 2 was lost: core 2 waits for it at"):
            chip.run(samples(1)[0])
        assert TRANSPORTS["tcp"].grace <= time.monotonic() - began < 20


@pytest.mark.parametrize("order", ["block", "file"])
def test_what_chaos_injects_does_not_depend_on_where_cores_stand(relay, emu_zygotes, tmp_path, order):
    (tmp_path / "hosts.toml").write_text('h1 = "1, 3"\nh2 = "0, 2"\n')
    chaos = Chaos(("delay:0.5,1", "reorder-start:1", "duplicate:0", "yield:0.3"), seed=5)
    with power_on(relay, zygotes=emu_zygotes, chaos=chaos) as chip:
        list(chip.stream(samples(20)))
        expected = chip.injected
    assert expected["delay"] > 20 and expected["duplicate"] == 0
    where = {"host_cores": str(tmp_path / "hosts.toml") if order == "file" else "block"}
    with power_on_hosts(relay, emu_zygotes, chaos=chaos, **where) as chip:
        assert [int(result.outputs["y"][0, 0]) for result in chip.stream(samples(20))] == list(range(1, 21))
        assert chip.injected == expected


def test_a_core_that_chaos_kills_is_named_with_its_host_and_counted(relay, emu_zygotes):
    run = power_on_hosts(relay, emu_zygotes, chaos=Chaos(("kill:2@3,SEGV",)))
    with pytest.raises(CoreDied, match=r"^core 2 on host h2 was killed by SIGSEGV") as error, run as chip:
        list(chip.stream(samples(9)))
    assert error.value.details["injected"] == {"kill": 1}


@pytest.mark.full
@pytest.mark.parametrize("network", ["digits_cnn.onnx", "digits_cnn_int8.onnx"])
def test_a_network_runs_with_the_same_bits(tmp_path, emu_zygotes, network):
    """Pipelined, every tensor kept."""
    image = compiler.compile(EXAMPLES / network, cores=16, out=tmp_path / "digits").out
    chance = np.random.default_rng(7)
    given = [{"in0": chance.random((1, 1, 8, 8), np.float32)} for _ in range(12)]
    found = []
    for power in (power_on, power_on_hosts):
        with power(image, zygotes=emu_zygotes, keep=["all"]) as chip:
            found.append(list(chip.stream(given)))
    for one, other in zip(*found, strict=True):
        assert one.captures == other.captures and one.outputs.keys() == other.outputs.keys()
        assert all(np.array_equal(one.outputs[name], other.outputs[name]) for name in one.outputs)


def test_an_error_of_a_process_says_on_which_host(endless, emu_zygotes, tmp_path):
    (tmp_path / "logs" / "core_0001.log").mkdir(parents=True)
    refused = pytest.raises(InputError, match=r"^on host h2: the log .*core_0001\.log cannot be written")
    with refused, power_on_hosts(endless, emu_zygotes, log_dir=tmp_path / "logs") as chip:
        chip.run({})


def test_a_run_over_machines_needs_a_network(relay, emu_zygotes):
    refused = pytest.raises(InputError, match=r"cores on several machines need a network: add .*tcp")
    with refused, power_on_hosts(relay, emu_zygotes, transport="ipc"):
        pass


def test_machines_end_even_if_none_was_started(emu_zygotes):
    with hosts(2, emu_zygotes):
        pass


def test_a_host_that_has_too_little_memory_is_told_before_the_run(relay, emu_zygotes, monkeypatch):
    monkeypatch.setattr(LocalMachine, "memory", 9 << 20)
    said = r"9 MiB of memory on host h1 are too little for 2 cores \(0-1\) with about 9\.541 MiB"
    with pytest.raises(InputError, match=said), power_on_hosts(relay, emu_zygotes):
        pass

"""ZeroMQ ports: the same results as in-process queues, big messages intact, strangers ignored."""

import tempfile
from pathlib import Path

import pytest
import zmq
from hypothesis import given, settings
from hypothesis import strategies as st
from program_sets import SLOT, ordered_messages
from stepper import Stepper, program
from wired import TOKEN, WiredChip

from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import RoundRobin
from emu.noc.memory.global_memory import GlobalMemory
from emu.noc.ports.port import Flow, SampleMismatch, SizeMismatch
from emu.noc.wire.frames import Kind, encode_header

FLOWS = ["rendezvous", "credits:1", "credits:8"]


@pytest.fixture
def directory():
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


@st.composite
def message_sets(draw):
    cores = draw(st.integers(2, 4))
    pair = st.permutations(range(cores)).map(lambda order: order[:2])
    messages = draw(st.lists(st.tuples(pair, st.integers(0, SLOT - 3)), max_size=20))
    return cores, [(src, dst, size) for (src, dst), size in messages]


@settings(max_examples=12)
@given(message_sets(), st.sampled_from(FLOWS), st.sampled_from(["ipc", "tcp"]))
def test_same_results_as_queues(messages, flow, transport):
    cores, order = messages
    programs = ordered_messages(cores, order)
    memory = GlobalMemory(1 << 16)
    machines = {core: Stepper(code) for core, code in programs.items()}
    RoundRobin(machines, programs, Fabric(Flow(), lambda sample: memory)).run("main", 0)
    with tempfile.TemporaryDirectory() as path, WiredChip(programs, Path(path), flow, transport) as chip:
        chip.put()
        memory_of_sample = chip.node._memories.of(0)
        chip.run()
        assert chip.halted == set(programs)
        assert memory_of_sample.collect([(0, 4 * SLOT * cores)]) == memory.collect([(0, 4 * SLOT * cores)])
        assert all(chip.machines[core].memory == machine.memory for core, machine in machines.items())


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("size", [0, 1, 70_000, 1 << 20])
def test_a_send_buffer_may_be_reused_at_once(directory, size, flow, transport):
    count = 5
    sends = [step for k in range(count) for step in (("lldi", 0, k + 1, size), ("send", 1, 0, size))]
    receives = [("recv", 0, k * size, size) for k in range(count)]
    programs = {0: program(0, *sends, ("lldi", 0, 99, size)), 1: program(1, *receives)}
    with WiredChip(programs, directory, flow, transport, local=count * max(size, 1)) as chip:
        chip.run()
        assert chip.halted == {0, 1}
        for k in range(count):
            assert chip.machines[1].memory[k * size : (k + 1) * size] == bytes([k + 1]) * size


def test_rendezvous_blocks_until_taken_and_credits_until_one_of_k_is(directory):
    programs = {
        0: program(0, *[("send", 1, 0, 4)] * 4),
        1: program(1, ("wait", 0, 1), *[("recv", 0, 0, 4)] * 4),
    }
    for flow, sent in (("rendezvous", 0), ("credits:1", 1), ("credits:3", 3)):
        with tempfile.TemporaryDirectory() as path, WiredChip(programs, Path(path), flow) as chip:
            chip.run()
            assert chip.machines[0].position()[1] == sent  # the send that blocks
            assert chip.halted == set()


@pytest.mark.parametrize("flow", FLOWS)
def test_the_receiver_faults_on_a_size_mismatch_and_under_rendezvous_the_sender(directory, flow):
    sizes = {0: program(0, *[("send", 1, 0, 8)] * 20), 1: program(1, ("recv", 0, 0, 8), ("recv", 0, 0, 4))}
    with WiredChip(sizes, directory, flow) as chip:
        chip.run()
        assert set(chip.faults) == ({0, 1} if flow == "rendezvous" else {1})
        for fault in chip.faults.values():
            assert isinstance(fault, SizeMismatch) and (fault.sent, fault.expected) == (8, 4)


def test_samples_must_agree(directory):
    programs = {0: program(0, ("send", 1, 0, 8), ("send", 1, 0, 8)), 1: program(1, ("recv", 0, 0, 8))}
    with WiredChip(programs, directory, "credits:8") as chip:
        chip.run(0)
        chip.run(1)
        assert isinstance(chip.faults[1], SampleMismatch)
        assert (chip.faults[1].value, chip.faults[1].limit) == (0, 1)


def test_syncs_overtake_nothing_and_are_counted(directory):
    programs = {
        0: program(0, ("sync", 1, 4), ("send", 1, 0, 4), ("sync", 1, 4), ("sync", 1, 5)),
        1: program(1, ("wait", 4, 2), ("recv", 0, 0, 4)),
    }
    with WiredChip(programs, directory, "credits:1") as chip:
        chip.run()
        assert chip.halted == {0, 1}
        assert not chip.ports[1]._events.wait(4, 1, 0)


def test_strangers_and_malformed_messages_are_ignored(directory):
    programs = {
        0: program(0, ("lldi", 0, 7, 4), ("sync", 1, 0), ("recv", 1, 8, 4), ("send", 1, 0, 4)),
        1: program(1, ("wait", 0, 1), ("send", 0, 0, 4), ("recv", 0, 0, 4)),
    }
    with WiredChip(programs, directory) as chip:
        stranger = chip.context.socket(zmq.DEALER)
        for _, endpoint in [*chip.routers.values(), (None, chip.node_socket.get_string(zmq.LAST_ENDPOINT))]:
            stranger.connect(endpoint)
        data = encode_header(Kind.DATA, 0, 0, 0, 4)
        for frames in (
            [b""],
            [b"\xff" * 5000, b"x"],
            [encode_header(Kind.HELLO, 0), b"not the token"],
            [encode_header(Kind.HELLO, 0), TOKEN],
            [encode_header(Kind.SYNC, 0, arg=0)],
            [data, b"evil", b"more"],
            [encode_header(Kind.PUT, -1), b"\x90"],
            [encode_header(Kind.STORE, 0), b"evil"],
        ):
            for _ in range(3):  # once to each endpoint
                stranger.send_multipart(frames)
        chip.run()
        assert chip.halted == {0, 1}
        assert chip.machines[1].memory[:4] == b"\x07" * 4 and not chip.ports[1]._events.wait(0, 1, 0)

"""ZeroMQ ports: the same results as in-process queues, big messages intact, strangers ignored."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_sets import SLOT, ordered_messages
from stepper import Stepper, program
from wired import TOKEN, WiredChip

from emu.noc.barrier.greeting import Greeting
from emu.noc.barrier.identity import identity_of
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import RoundRobin
from emu.noc.memory.global_memory import GlobalMemory
from emu.noc.ports.port import DamagedMessage, FlowControl, SampleMismatch, SizeMismatch
from emu.noc.wire.frames import FrameKind, encode_header

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
    RoundRobin(machines, programs, Fabric(FlowControl(), lambda sample: memory)).run("main", 0)
    with tempfile.TemporaryDirectory() as path, WiredChip(programs, Path(path), flow, transport) as chip:
        chip.put()
        memory_of_sample = chip.node.memories.of(0)
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
        assert not chip.ports[1].events.wait(4, 1, 0)


def test_strangers_and_malformed_messages_are_ignored(directory):
    programs = {
        0: program(0, ("lldi", 0, 7, 4), ("sync", 1, 0), ("recv", 1, 8, 4), ("send", 1, 0, 4)),
        1: program(1, ("wait", 0, 1), ("send", 0, 0, 4), ("recv", 0, 0, 4)),
    }
    with WiredChip(programs, directory) as chip:
        stranger = chip.library.connect(chip.routers[0][1].endpoint, identity_of(b"another token", 0))
        for door in (chip.routers[1][1], chip.door):
            stranger.connect(door.endpoint)
        data = encode_header(FrameKind.DATA, 0, 0, 0, 4)
        for frames in (
            [b""],
            [b"\xff" * 5000, b"x"],
            [encode_header(FrameKind.HELLO, 0), b"not the token"],
            [encode_header(FrameKind.HELLO, 0), TOKEN],
            [encode_header(FrameKind.SYNC, 0, arg=0)],
            [data, b"evil", b"more"],
            [encode_header(FrameKind.PUT, -1), b"\x90"],
            [encode_header(FrameKind.STORE, 0), b"evil"],
        ):
            for _ in range(3):  # once to each endpoint
                stranger.send_multipart(frames)
        chip.run()
        assert chip.halted == {0, 1}
        assert chip.machines[1].memory[:4] == b"\x07" * 4 and not chip.ports[1].events.wait(0, 1, 0)


def test_what_peers_send_before_a_core_has_heard_of_the_start_is_not_lost(directory):
    """They have, and it still answers greetings: data and syncs wait until it begins."""
    programs = {
        0: program(0, ("lldi", 0, 7, 4), ("sync", 1, 5), ("send", 1, 0, 4), ("sync", 1, 5)),
        1: program(1, ("wait", 5, 2), ("recv", 0, 8, 4)),
    }
    with WiredChip(programs, directory, "credits:2") as chip:
        inbox = chip.inboxes[1]
        chip.sockets[0][1].send(encode_header(FrameKind.HELLO, 0))
        chip.machines[0].begin("main", 0)
        chip.sample = 0
        while 0 not in chip.halted:  # core 1 does not run yet
            chip.turn(0)
        greeted = []
        for _ in range(4):
            assert inbox.socket.poll(5000)
            greeted.append(inbox.meet())
        assert [each and each[0] for each in greeted] == [0, None, None, None]
        assert [header.kind for header, _ in inbox.early] == [FrameKind.SYNC, FrameKind.DATA, FrameKind.SYNC]
        chip.ports[1].attach(chip.machines[1].events)
        assert inbox.early == []
        chip.run()
        assert 1 in chip.halted and chip.machines[1].memory[8:12] == b"\x07" * 4


@pytest.mark.parametrize("flow", FLOWS)
def test_greetings_that_come_again_change_nothing(directory, flow):
    """Of a core that said hello twice before the answer came: both its peer and the memory node answer twice."""
    programs = {
        0: program(0, ("lldi", 0, 7, 4), *[("send", 1, 0, 4)] * 3, ("st", 0, 0, 4), ("ld", 8, 0, 4)),
        1: program(1, *[("recv", 0, 0, 4)] * 3),
    }
    with WiredChip(programs, directory, flow) as chip:
        hello = Greeting(1).hello
        chip.sockets[0][1].send(Greeting(0).hello)  # nobody waits for its answer any more
        chip.routers[1][0].poll(5000)
        for _ in range(2):
            chip.ports[0].memory.socket.send(encode_header(FrameKind.READY, 0))
        chip.put()
        inbox = chip.inboxes[1]
        assert inbox.meet()[0] == 0
        for _ in range(2):
            inbox.answer(0, hello)
        chip.sockets[0][1].send(Greeting(0).hello)  # and one more for the run
        chip.run(idle_turns=2000)
        assert chip.halted == {0, 1} and chip.machines[0].memory[8:12] == b"\x07" * 4


@pytest.mark.parametrize(
    "frames", [[encode_header(FrameKind.DATA, 1, 0, 0, 4), b"1234"], [encode_header(FrameKind.DATA, 0)]]
)
def test_what_no_core_sends_is_refused_before_the_start_too(directory, frames):
    programs = {0: program(0, ("send", 1, 0, 4)), 1: program(1, ("recv", 0, 0, 4))}
    with WiredChip(programs, directory) as chip:
        chip.sockets[0][1].send_multipart(frames)
        assert chip.routers[1][0].poll(5000)
        with pytest.raises(DamagedMessage, match="core 1 got a message of core 0 that makes no sense"):
            chip.inboxes[1].meet()

"""Greetings without sockets: words that are lost, doubled or late change nothing but when a run starts."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.noc.barrier.barrier import HOST, Barrier
from emu.noc.barrier.greeting import NODE, NOTHING_TAKEN, Greeting, GreetingStage
from emu.noc.barrier.identity import identity_of
from emu.noc.wire.frames import FrameHeader, FrameKind, MalformedFrame, decode_control, decode_header, encode_header

TOKEN = b"t" * 32


class Run:
    """Members and the memory node; `way` holds what is on its way: (from, to, frames), which is delivered in any order.

    Core to NODE and back, core to peer (`hello`), peer to core (`answer`).
    """

    def __init__(self, peers, idle):
        self.peers = peers
        self.barrier = Barrier(TOKEN, list(peers), idle)
        self.members = {core: Greeting(core, f"at {core}", peers[core], networked=True) for core in peers}
        self.members |= {core: Greeting(core) for core in (*idle, HOST)}
        self.way, self.stages = [], {}
        self.heard = {core: set() for core in peers}  # whose hello each has heard
        for member in self.members:
            self.say(member)

    def say(self, member):
        for whom, frames in self.members[member].words():
            self.way.append((member, "node" if whom == NODE else whom, frames))

    def deliver(self, place):
        source, target, frames = self.way.pop(place)
        header, payload = decode_header(frames[0]), b"".join(frames[1:])
        if target == "node":
            for identity, *reply in self.barrier.receive(identity_of(TOKEN, source), header, payload):
                self.way.append(("node", self.barrier.core(identity), tuple(reply)))
        elif source == "node":
            self.hear(target, self.members[target].told(header, payload))
        elif isinstance(target, tuple):  # an answer
            self.hear(target[0], self.members[target[0]].answered(source, header))
        elif self.members[target].stage is GreetingStage.BINDING:
            self.way.append((source, target, frames))  # stays in the inbox until the table is there
        else:
            assert source in self.members[target].incoming
            self.heard[target].add(source)
            if self.members[target].stage is not GreetingStage.STARTED:  # afterwards nobody waits for an answer
                self.way.append((target, (source,), (self.members[target].hello,)))
        self.check()

    def hear(self, member, news):
        before, stages = len(self.way), list(GreetingStage)
        now = stages.index(self.members[member].stage)
        assert now >= self.stages.get(member, 0), "nobody goes back"
        self.stages[member] = now
        if news:
            self.say(member)
        assert news == (len(self.way) > before)

    def check(self):
        started = [member for member, greeting in self.members.items() if greeting.stage is GreetingStage.STARTED]
        if started:  # nobody starts before all who will send have been answered, and so were heard
            assert self.barrier.open
            for core, peers in self.peers.items():
                assert self.members[core].stage in (GreetingStage.READY, GreetingStage.STARTED)
                assert all(core in self.heard[peer] for peer in peers)


@st.composite
def runs(draw):
    cores = draw(st.lists(st.integers(0, 30), min_size=0, max_size=6, unique=True))
    peers = {core: sorted(draw(st.sets(st.sampled_from(cores))) - {core}) for core in cores}
    return Run(peers, draw(st.sets(st.integers(40, 45), max_size=2)))


def finish(run):
    """Nothing is lost any more: all say what they have to say, and hear it."""
    for _ in range(len(run.members) + 3):
        for member in run.members:
            run.say(member)
        for _ in range(4 * len(run.way) + 50):
            if run.way:
                run.deliver(0)
        assert len(run.way) < 10_000


STEPS = ["deliver"] * 8 + ["lose", "double", "again", "drop"]


@given(runs(), st.integers(0, 1 << 32), st.integers(0, 300))
def test_whatever_is_lost_doubled_or_late_all_start_together(run, seed, steps):
    rng = Random(seed)
    for _ in range(steps):
        step = rng.choice(STEPS)
        if step == "again":
            run.say(rng.choice(list(run.members)))
        elif not run.way:
            continue
        elif step == "deliver":
            run.deliver(rng.randrange(len(run.way)))
        elif step == "lose":
            run.way.pop(rng.randrange(len(run.way)))
        elif step == "double":
            run.way.append(rng.choice(run.way))
        else:  # a connection with all that is on it
            ends = set(rng.choice(run.way)[:2])
            run.way = [each for each in run.way if set(each[:2]) != ends]
    finish(run)
    assert {greeting.stage for greeting in run.members.values()} == {GreetingStage.STARTED}
    assert not any(greeting.words() for greeting in run.members.values())


@given(runs())
def test_where_nothing_is_lost_every_word_is_said_once(run):
    said = []
    while run.way:
        said.append(run.way[0][:2])
        run.deliver(0)
    pairs = sum(map(len, run.peers.values()))
    waiting = sum(isinstance(target, tuple) for _, target in said)
    assert {greeting.stage for greeting in run.members.values()} == {GreetingStage.STARTED}
    assert waiting == pairs and len(set(said)) >= pairs  # one answer for each pair
    node = [each for each in said if "node" in each]
    assert len(node) == len(run.members) * 2 + 2 * len(run.peers)  # BIND and GO; table and READY


def test_a_late_answer_acknowledges_nothing():
    hello = decode_header(Greeting(3).hello)
    assert (hello.kind, hello.src, hello.seq + 1) == (FrameKind.HELLO, 3, 0) and hello.seq == NOTHING_TAKEN


@pytest.mark.parametrize("kind", [FrameKind.GO, FrameKind.LOADED])
def test_a_start_that_nobody_can_have_ordered_is_refused(kind):
    greeting = Greeting(1, "here", [2], networked=True)
    with pytest.raises(MalformedFrame, match=f"said {kind.name} to a member that is binding"):
        greeting.told(FrameHeader(kind, HOST))
    with pytest.raises(MalformedFrame, match="core 2 answered a greeting with DATA"):
        greeting.answered(2, FrameHeader(FrameKind.DATA, 2))


def test_a_core_without_peers_is_ready_with_its_table():
    greeting = Greeting(1, "here", [], networked=True)
    assert greeting.told(FrameHeader(FrameKind.TABLE, HOST), b"\x92\x80\x90")
    assert greeting.words() == [(NODE, (encode_header(FrameKind.READY, 1),))]
    assert decode_control(b"\x92\x80\x90") == [{}, []]

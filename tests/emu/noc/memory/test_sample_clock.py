"""The sample clock: whoever comes first, the same samples begin and end, none too early, and left-overs are seen."""

from hypothesis import given
from hypothesis import strategies as st

from emu.core.trap import INIT_SAMPLE
from emu.noc.barrier.barrier import HOST, Barrier
from emu.noc.barrier.identity import identity_of
from emu.noc.memory.memory_link import MemoryLink
from emu.noc.memory.memory_node import MemoryNode
from emu.noc.memory.sample_clock import SampleClock
from emu.noc.watch.board import NODE, Board
from emu.noc.wire.frames import FrameHeader, FrameKind, decode_control, decode_header, encode_control, encode_header


class Frame:
    def __init__(self, data):
        self.bytes, self.buffer = data, memoryview(data)


class Wire:
    """A core's socket without a network: what it sends waits in `out`, what it receives must be in `back`."""

    def __init__(self):
        self.out, self.back = [], []

    def send(self, data):
        self.out.append(data)

    def recv(self):
        return self.back.pop(0)


class Run:
    """A memory node and cores whose every step, and the arrival of every message, is one choice of a test.

    `left[core][sample + 1]` is what a core leaves at the end of a sample (`init` first). The cores `elsewhere` have a
    board of their own.
    """

    def __init__(self, cores, left, elsewhere=()):
        self.left, self.samples = left, len(left[0]) - 1 if left else 2
        board = Board(bytearray(Board.size(cores)), range(cores), elsewhere)
        other = Board(bytearray(Board.size(cores)), range(cores), [*set(range(cores)).difference(elsewhere), NODE])
        for each in (board, other):
            each.hang_bells()
        rows = [(other if core in elsewhere else board).row(core) for core in range(cores)]
        barrier = Barrier(b"t", range(cores), [])
        for core in (HOST, *range(cores)):
            barrier.receive(identity_of(b"t", core), FrameHeader(FrameKind.BIND, core), encode_control(["", []]))
        barrier.open = True
        self.node = MemoryNode(8, [], SampleClock(board), barrier)
        self.wires = [Wire() for _ in rows]
        self.links = [MemoryLink(self.wires[core], core, row) for core, row in enumerate(rows)]
        self.cores = {identity_of(b"t", core): core for core in range(cores)}
        self.filled, self.results = 0, {}
        self.within = [True] * cores  # a sample, or `init`; if not, between two
        self.ended = [INIT_SAMPLE - 1] * cores  # the last sample that each has finished

    def steps(self):
        """What can happen next."""
        cores = range(len(self.links))
        return (
            [(self.put, 0)] * (self.filled < self.samples)
            + [(self.deliver, core) for core in cores if self.wires[core].out]
            + [(self.end, core) for core in cores if self.within[core]]
            + [(self.begin, core) for core in cores if not self.within[core] and self.ready(core)]
        )

    def ready(self, core):
        return bool(self.wires[core].back) or self.links[core].may_begin(self.ended[core] + 1)

    def put(self, _core):
        self.tell(HOST, encode_header(FrameKind.PUT, HOST, 0, self.filled), encode_control([]))
        self.filled += 1

    def deliver(self, core):
        self.tell(core, self.wires[core].out.pop(0))

    def end(self, core):
        self.within[core] = False
        self.ended[core] += 1
        self.links[core].end(self.ended[core], self.left[core][self.ended[core] + 1])

    def begin(self, core):
        sample = self.ended[core] + 1
        self.links[core].begin(sample)
        assert sample < self.samples and min(self.ended) >= INIT_SAMPLE, "no sample begins before all `init` ended"
        self.within[core] = True

    def tell(self, who, *frames):
        for identity, header, *payload in self.node.receive([Frame(identity_of(b"t", who)), *map(Frame, frames)]):
            if identity != identity_of(b"t", HOST):
                self.wires[self.cores[identity]].back.append(header)
                continue
            sample = decode_header(header).sample
            assert sample == len(self.results) < self.samples and all(ended >= sample for ended in self.ended)
            self.results[sample] = decode_control(payload[0])[2]


@given(st.data(), st.integers(1, 4), st.integers(0, 5))
def test_all_samples_end_in_any_order_of_events(data, cores, samples):
    row = st.lists(st.integers(-1, 1), min_size=samples + 1, max_size=samples + 1)
    elsewhere = data.draw(st.sets(st.integers(0, cores - 1)))
    run = Run(cores, data.draw(st.lists(row, min_size=cores, max_size=cores)), elsewhere)
    draws = data.draw(st.lists(st.integers(0, 1 << 16), max_size=200))
    while steps := run.steps():
        step, core = steps[draws.pop() % len(steps) if draws else -1]
        step(core)
    assert run.ended == [samples - 1] * cores and not any(run.within)
    assert run.results == {sample: sum(left[sample + 1] for left in run.left) != 0 for sample in range(samples)}


def test_without_cores_samples_end_as_they_come():
    run = Run(0, [])
    while steps := run.steps():
        steps[0][0](0)
    assert run.results == {0: False, 1: False}


def test_on_a_board_only_the_last_core_tells_that_a_sample_is_over():
    run, messages = Run(3, [[0] * 9] * 3), 0
    for _ in range(8):
        run.put(0)
    while steps := [step for step in run.steps() if step[0] != run.deliver] or run.steps():
        messages += steps[0][0] == run.deliver
        steps[0][0](steps[0][1])
    assert messages == 9  # `init` and eight samples


def test_a_core_elsewhere_tells_of_every_sample_and_waits_only_for_the_first():
    run = Run(1, [[0] * 9], elsewhere={0})
    for _ in range(8):
        run.put(0)
    waits = messages = 0
    while steps := run.steps():
        messages += steps[0][0] == run.deliver
        waits += steps[0][0] == run.begin and run.links[0].asked
        steps[0][0](steps[0][1])
    assert messages == 9 and waits == 1

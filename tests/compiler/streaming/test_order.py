"""The rolled programs are the total order again; no row is overwritten before its last reader, in rings or bytes."""

from collections import defaultdict

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory
from onnx_nets import Net, conv_nets

from compiler.codegen.generate import generate
from compiler.compiling import lower
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.dialects.rows import rows_of
from compiler.request import make_request
from compiler.session.context import make_context
from compiler.streaming.actions import ActionKind
from compiler.streaming.lifetimes import accesses, trace
from compiler.streaming.order import stream_order
from compiler.streaming.rings import make_rings
from compiler.streaming.roll import roll
from compiler.text import print_module, read_module
from emu.arch import Arch, Core, Crossbar
from emu.program.codec import encode_program

relaxed = settings(max_examples=examples(5, 30), suppress_health_check=list(HealthCheck))
CHIPS = st.builds(
    lambda size: Arch(name="chip", cores=1024, core=Core(crossbars=1000), crossbar=Crossbar(size, size)),
    st.integers(2, 20),
)
CORES = st.sampled_from([20, 60, 1024])
ROWS = st.none() | st.integers(1, 4)  # None: whole tiles
KINDS = {
    pim.LoadOp: ActionKind.LOAD,
    pim.ReceiveOp: ActionKind.RECEIVE,
    pim.SendOp: ActionKind.SEND,
    pim.StoreOp: ActionKind.STORE,
}


def granularity(rows):
    """The option for so many rows at a time."""
    return f"rows:{rows}" if rows else "image"


def order_of(model, arch, cores, rows):
    """The total order, made again from the computes."""
    request = make_request(model, arch, cores=cores, until="spat")
    context = make_context(arch, request.options)
    module, _ = lower(request, context)
    ops = list(module.ops)
    return stream_order(ops, rows), module


def pim_cores(module):
    return {op.coreId.value.data: op for op in module.ops if isinstance(op, pim.CoreOp)}


def unrolled(core):
    """(kind, rows, peer and number of a message) of everything that a core does, in order."""
    for op, iteration in trace(core):
        if isinstance(op, pim.CompleteOp | pim.HaltOp):
            continue
        message = isinstance(op, pim.SendOp | pim.ReceiveOp)
        for index, rows in enumerate(rows_of(op.rows) if message else rows_of(op.rows)[-1:]):
            number = op.message.value.data if message and not index else None  # the first one of joined messages
            end = (op.peer.value.data, number) if message else None
            yield KINDS.get(type(op), ActionKind.KERNEL), (rows.first + rows.step * iteration, rows.count), end


def numbered(done, wanted):
    """`done` with the numbers of `wanted` for messages that were joined to the one before."""
    return [
        (kind, rows, wanted[at][2] if end is not None and end[1] is None and end[0] == wanted[at][2][0] else end)
        for at, (kind, rows, end) in enumerate(done)
    ]


@relaxed
@given(conv_nets(), CHIPS, CORES, ROWS)
def test_programs_are_the_projection_of_one_total_order(model, arch, cores, rows):
    order, _ = order_of(model, arch, cores, rows)
    built = pim_cores(compile_in_memory(model, arch, cores, granularity=granularity(rows)).module)
    assert set(built) == set(order.events)
    for number, core in built.items():
        wanted = [
            (
                event.action.kind,
                event.rows,
                (event.action.peer, event.action.number) if event.action.peer >= 0 else None,
            )
            for event in order.events[number]
        ]
        done = numbered(unrolled(core), wanted)
        assert done == wanted
        messages = [
            (message.edge, message.first, message.end)
            for message in order.messages
            if number in (message.source, message.target)
        ]
        found = [(message[1], first, first + count) for _, (first, count), message in done if message is not None]
        assert found == messages


@relaxed
@given(conv_nets(), CHIPS, CORES, ROWS)
def test_every_needed_row_of_an_edge_is_sent_once_and_in_order(model, arch, cores, rows):
    order, _ = order_of(model, arch, cores, rows)
    begins, ends = {}, {}
    for message in order.messages:
        assert message.source != message.target
        begins.setdefault(message.edge, message.first)
        assert message.first == ends.get(message.edge, message.first) < message.end
        ends[message.edge] = message.end
    needed, edges = defaultdict(set), {}
    for core, events in order.events.items():
        for event in events:
            if event.action.kind is ActionKind.KERNEL:
                for tile, (first, count) in zip(event.action.reads, event.inputs, strict=True):
                    needed[core, tile].update(range(first, first + count))
            elif event.action.kind is ActionKind.SEND:
                edges[event.action.number] = event.action.peer, event.action.reads[0]
    assert edges.keys() == ends.keys()
    for edge, place in edges.items():
        assert (begins[edge], ends[edge]) == (min(needed[place]), max(needed[place]) + 1)


def test_rows_that_a_stride_passes_over_are_not_sent():
    net = Net((1, 1, 4, 3))
    x = net.conv("x", 1, 1, (1, 1))
    x = net.conv(x, 1, 1, (1, 2), strides=[2, 1], pads=[0, 0, 0, 1])  # pads make a tile of all rows inside
    arch = Arch(name="chip", cores=1024, core=Core(crossbars=1000), crossbar=Crossbar(2, 2))
    order, _ = order_of(net.model(x), arch, 1024, None)
    assert [(message.first, message.end) for message in order.messages] == [(0, 3)]


def test_what_is_used_first_is_sent_first():
    net = Net((1, 3, 32, 32))
    x = net.add("MaxPool", net.conv("x", 3, 64, (7, 7), pads=[3] * 4), kernel_shape=[2, 2], strides=[2, 2])
    y = net.conv(net.conv(x, 64, 64, (3, 3), pads=[1] * 4), 64, 64, (3, 3), pads=[1] * 4)
    arch = Arch(name="chip", cores=1024, core=Core(crossbars=64), crossbar=Crossbar(128, 128))
    order, module = order_of(net.model(net.add("Add", y, x)), arch, 16, None)
    uses = {
        (value.owner.node.data, op.number): index
        for index, op in reversed([*enumerate(op for op in module.ops if isinstance(op, spat.ComputeOp))])
        for value in op.tiles
        if isinstance(value.owner, spat.ComputeOp)
    }
    targets = [message.target for message in order.messages if message.source == 0]
    assert len(targets) == 6  # five parts of the next layer, and the core of the addition, to which the shortcut goes
    assert targets == sorted(targets, key=lambda target: uses["maxpool2", target])


def clobbered(core, depths=None):
    """Whether some row is read after another row took its slot, with the given depths (by buffer)."""
    slots = defaultdict(dict)
    for op, iteration in trace(core):
        reads, writes = accesses(op, iteration)
        for buffer, first, count in reads:
            depth = (depths or {}).get(buffer, attr.shape_of(buffer)[0])
            if any(slots[buffer].get(row % depth) != row for row in range(first, first + count)):
                return True
        for buffer, first, count in writes:
            depth = (depths or {}).get(buffer, attr.shape_of(buffer)[0])
            slots[buffer].update({row % depth: row for row in range(first, first + count)})
    return False


@relaxed
@given(conv_nets(), CHIPS, CORES, ROWS)
def test_no_row_is_overwritten_before_its_last_reader(model, arch, cores, rows):
    module = compile_in_memory(model, arch, cores, granularity=granularity(rows)).module
    assert not any(clobbered(core) for core in pim_cores(module).values())


@relaxed
@given(conv_nets(), CHIPS, st.sampled_from([20, 1024]), ROWS, st.sampled_from(["frugal", "scatter", "pack"]))
def test_no_byte_is_overwritten_before_its_last_reader(model, arch, cores, rows, placement):
    module = compile_in_memory(model, arch, cores, "dense", placement, granularity(rows)).module
    for core in pim_cores(module).values():
        owners = np.full((1 << 20, 2), -1)  # of each byte: buffer, row
        buffers = {}
        for op, iteration in trace(core):
            reads, writes = accesses(op, iteration)
            for accessed, written in ((reads, False), (writes, True)):
                for buffer, first, count in accessed:
                    owner = (buffers.setdefault(buffer, len(buffers)),)
                    for row in range(first, first + count):
                        taken = row_bytes(buffer, row)
                        if written:
                            owners[taken] = (*owner, row)
                        assert (owners[taken] == (*owner, row)).all()


def row_bytes(buffer, row):
    """The bytes of local memory that a row takes, by its elements' type (a scratch buffer may hold bool)."""
    depth = attr.shape_of(buffer)[0]
    taken = attr.bytes_of(buffer) // depth
    begin = buffer.owner.address.value.data + row % depth * taken
    return slice(begin, begin + taken)


def rings_of(model, rows, cores=1000):
    """Rings that hold only some rows, by core."""
    arch = Arch(name="chip", cores=1024, core=Core(crossbars=1000), crossbar=Crossbar(64, 64))
    order, module = order_of(model, arch, cores, rows)
    found = []
    for events in order.events.values():
        rings = make_rings(events, roll(events), order.chunks)
        found += list({id(ring): ring for ring in rings.values() if not ring.whole}.values())
    return found, module


def test_a_ring_holds_what_its_window_needs():
    net = Net([1, 2, 40, 6])
    y = net.conv("x", 2, 3, (5, 5), pads=[2, 2, 2, 2])
    rings, _module = rings_of(net.model(net.conv(y, 3, 4, (3, 3), pads=[1, 1, 1, 1])), 1)
    padded = sorted(ring.depth for ring in rings if attr.shape_of(ring.tiles[0])[1] > 6)
    assert padded == [3, 5]


@pytest.mark.parametrize("lag", [1, 2, 3])
def test_a_residual_ring_holds_the_rows_that_the_branch_lags_behind(lag):
    net = Net([1, 2, 40, 6])
    x = y = net.conv("x", 2, 64, (1, 1))
    for _ in range(lag):
        y = net.conv(y, 64, 64, (3, 3), pads=[1, 1, 1, 1])
    model = net.model(net.add("Add", y, x))
    rings, module = rings_of(model, 1)
    shortcut = next(op for op in module.ops if isinstance(op, spat.ComputeOp)).outputs[0]
    needs = [ring.need for ring in rings if shortcut in ring.tiles]
    assert max(needs) == lag + 1  # the row that is made now, and one per row of a window below the middle


def pixels(event):
    """The work of an event: windows multiplied."""
    kernel = event.action.kernel
    if kernel is not None and kernel.crossbars:
        return event.rows[1] * attr.shape_of(kernel.results[0])[1]
    return 0


def finish_time(order, samples):
    """When the last core is done, under rendezvous with messages that take no time."""
    kinds = (ActionKind.KERNEL, ActionKind.SEND, ActionKind.RECEIVE)
    programs = {
        core: [event for event in events if event.action.kind in kinds] * samples
        for core, events in order.events.items()
    }
    at, time, runnable = dict.fromkeys(programs, 0), dict.fromkeys(programs, 0), list(programs)
    while runnable:
        core = runnable.pop()
        while at[core] < len(programs[core]):
            event = programs[core][at[core]]
            if event.action.kind is ActionKind.KERNEL:
                time[core] += pixels(event)
                at[core] += 1
                continue
            peer = event.action.peer
            other = programs[peer][at[peer]] if at[peer] < len(programs[peer]) else None
            if other is None or (other.action.peer, other.action.number, other.rows) != (
                core,
                event.action.number,
                event.rows,
            ):
                break
            time[core] = time[peer] = max(time[core], time[peer])
            at[core], at[peer] = at[core] + 1, at[peer] + 1
            runnable.append(peer)
    assert all(at[core] == len(programs[core]) for core in programs), "deadlock"
    return max(time.values())


def test_layers_overlap_so_latency_falls_to_the_busiest_core():
    net = Net([1, 8, 64, 16])
    y = "x"
    for _ in range(6):
        y = net.conv(y, 8, 8, (3, 3), pads=[1, 1, 1, 1])
    model, arch = net.model(y), Arch(name="chip", cores=64, core=Core(crossbars=16), crossbar=Crossbar(72, 8))
    orders = {rows: order_of(model, arch, 6, rows)[0] for rows in (64, 8, 1)}
    latency = {rows: finish_time(order, 1) for rows, order in orders.items()}
    busiest = 64 * 16
    assert latency[64] == 6 * busiest
    assert latency[8] <= 2.5 * busiest
    assert latency[1] <= 1.2 * busiest
    for order in orders.values():
        assert finish_time(order, 10) <= finish_time(order, 1) + 9 * 2 * busiest


@relaxed
@given(conv_nets(), CHIPS, st.sampled_from(["frugal", "scatter", "pack"]), ROWS)
def test_text_round_trips_and_means_the_same(tmp_path_factory, model, arch, placement, rows):
    request = make_request(model, arch, cores=30, placement=placement, granularity=granularity(rows))
    context = make_context(arch, request.options)
    module, _ = lower(request, context)
    path = tmp_path_factory.mktemp("ir") / "dump.mlir"
    path.write_text(print_module(module))
    again = read_module(path, context)
    assert print_module(again) == path.read_text()
    left, right = (
        [encode_program(core.program) for core in generate(each, context.weights)] for each in (module, again)
    )
    assert left == right

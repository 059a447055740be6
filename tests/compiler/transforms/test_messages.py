"""Messages: both ends of each agree; memory is used again."""

from collections import defaultdict

from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory
from onnx_nets import Net, conv_nets

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.rows import rows_of
from compiler.transforms.allocate_buffers import buffer_bytes
from emu.arch import Arch, Core, Crossbar

CHIPS = st.builds(
    lambda size: Arch(name="chip", cores=1024, core=Core(crossbars=1000), crossbar=Crossbar(size, size)),
    st.integers(2, 20),
)
ARCH = Arch(name="chip", cores=4, core=Core(crossbars=1000), crossbar=Crossbar(32, 32))
RESULT = 4 * 4 * 12 * 12  # bytes
relaxed = settings(max_examples=examples(8, 50), suppress_health_check=list(HealthCheck))


def cores(module):
    return {op.coreId.value.data: list(op.body.block.ops) for op in module.ops if isinstance(op, pim.CoreOp)}


def parts(op):
    """The rows that go of each buffer, which a receiver of a part of a tile holds alone, and its shape."""
    return zip(rows_of(op.rows), map(attr.shape_of, op.buffers), strict=True)


@relaxed
@given(conv_nets(), CHIPS, st.integers(1, 60), st.sampled_from(["frugal", "scatter", "pack"]))
def test_both_ends_of_a_message_agree(model, arch, count, placement):
    module = compile_in_memory(model, arch, max(count, 20), placement=placement).module
    ends = defaultdict(list)
    for number, ops in cores(module).items():
        messages = [op for op in ops if isinstance(op, pim.SendOp | pim.ReceiveOp)]
        order = [op.message.value.data for op in messages]
        assert len(order) == len(set(order)), "whole tiles: one message per tile and receiver"
        for op in messages:
            sender, receiver = (
                (number, op.peer.value.data) if isinstance(op, pim.SendOp) else (op.peer.value.data, number)
            )
            ends[op.message.value.data].append(
                (type(op), sender, receiver, [(part.count, *rest) for part, (_, *rest) in parts(op)])
            )
    for both in ends.values():
        assert {kind for kind, *_ in both} == {pim.SendOp, pim.ReceiveOp}
        assert both[0][1:] == both[1][1:] and len(both) == 2, "both ends agree on the pair and the size"
        assert both[0][1] != both[0][2], "no core sends to itself"


@relaxed
@given(conv_nets(), CHIPS)
def test_memory_is_reused(model, arch):
    module = compile_in_memory(model, arch, 20, placement="pack").module
    for ops in cores(module).values():
        allocs = [op for op in ops if isinstance(op, pim.AllocOp | pim.ConstantOp)]
        high = max(op.address.value.data + buffer_bytes(op.buffer) for op in allocs)
        assert high <= sum(buffer_bytes(op.buffer) for op in allocs)


def test_a_chain_of_layers_needs_the_memory_of_two():
    """Of eight layers that follow each other in one core, only a result and what it is made of are needed at a time."""
    peaks = []
    for layers in (4, 8):
        net, value = Net([1, 4, 12, 12]), "x"
        for _ in range(layers):
            value = net.conv(value, 4, 4, (1, 1))
        module = compile_in_memory(net.model(value), ARCH, 1, placement="pack").module
        ((_, ops),) = cores(module).items()
        allocs = [op for op in ops if isinstance(op, pim.AllocOp | pim.ConstantOp)]
        assert sum(buffer_bytes(op.buffer) >= RESULT for op in allocs) > layers
        peaks.append(max(op.address.value.data + buffer_bytes(op.buffer) for op in allocs))
    constants = 4 * 64  # a bias of each further layer, aligned
    assert peaks[0] >= 2 * RESULT and peaks[1] <= peaks[0] + constants

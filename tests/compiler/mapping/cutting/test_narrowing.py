"""Tiles cut in parts where they are made: each core is sent the channels that it multiplies, and the result stays."""

from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx_nets import Net

from emu.arch import Arch, Core, Crossbar
from emu.noc.traffic.traffic import traffic

CHIP = Arch(name="chip", cores=64, core=Core(crossbars=64), crossbar=Crossbar(32, 32))


def network():
    net = Net([1, 3, 24, 24])
    y = net.conv("x", 3, 16, (3, 3), pads=[1, 1, 1, 1])
    y = net.add("Relu", net.conv(y, 16, 16, (3, 3), strides=[2, 2], pads=[1, 1, 1, 1]))
    return net.model(net.conv(y, 16, 16, (3, 3), pads=[1, 1, 1, 1]))


def test_channels_are_sent_to_those_that_multiply_them_and_outputs_stay():
    model = network()
    compiled, scattered = (compile_in_memory(model, CHIP, 5, placement=name) for name in ("frugal", "scatter"))
    assert sum(traffic(compiled.programs).values()) < sum(traffic(scattered.programs).values())
    sample = random_sample(compiled.inputs)
    for granularity in ("image", "rows:2"):
        found = compile_in_memory(model, CHIP, 5, placement="frugal", granularity=granularity)
        (outputs,) = run_in_process(found, [sample])
        assert_close(outputs, golden(model, sample))

"""What ends together: which order, and that leaving out idle edges changes nothing."""

from hypothesis import given
from pimsim_programs import chips, outcome, prepared, programs

from emu.interop.pim_isa.timing import upstream_order
from emu.interop.pim_isa.timing.first_come import FirstCome
from emu.interop.pim_isa.timing.step import run_step
from emu.interop.pim_isa.timing.upstream_order import UpstreamOrder


def kernels(period):
    def edge(number, cores):
        return started.pop()

    started = []
    for kernel in (FirstCome(period, edge), UpstreamOrder(period, edge, 0), UpstreamOrder(period, edge, 10**9)):
        yield kernel, started


def test_a_wait_of_one_period_ends_behind_the_edge_and_a_longer_one_before_it():
    for waits, wanted in (
        ([0], 2),
        ([10], 3),
        ([20], 3),
        ([30], 4),
        ([5], 2),
        ([15], 3),
        ([20, 10], 4),  # the first ended before the clock, so the second began before it
        ([10, 10], 4),
        ([20, 0], 4),
        ([5, 5], 3),
    ):
        for kernel, started in kernels(10):
            found = []

            def process(kernel=kernel, waits=waits, found=found):
                yield from waits
                found.append(kernel.next_edge())

            started.append([process()])
            kernel.at_edge(1, 0)
            kernel.run()
            assert found == [wanted], (type(kernel), waits)


@given(programs(), chips())
def test_idle_edges_can_be_left_out(program, chip):
    setup, idle = prepared(program, chip), upstream_order.IDLE
    found = []
    try:
        for upstream_order.IDLE in (10**12, 1):
            found.append(outcome(run_step, setup, True))
    finally:
        upstream_order.IDLE = idle
    assert found[0] == found[1]

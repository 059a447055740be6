"""When a send ends and what a receive takes: one class for all ports."""

import pytest

from emu.noc.ports.port import FlowControl, SampleMismatch, SizeMismatch


@pytest.mark.parametrize(
    ("text", "lends", "needs"), [("rendezvous", True, [1, 2, 3]), ("credits:2", False, [-1, 0, 1])]
)
def test_when_a_send_ends(text, lends, needs):
    flow = FlowControl.parse(text)
    assert flow.lends is lends and [flow.need(index) for index in range(3)] == needs


@pytest.mark.parametrize("flow", [FlowControl(), FlowControl(4)])
def test_what_a_receive_takes(flow):
    assert flow.fits(3, 8, 3, 8)
    assert not flow.fits(4, 8, 3, 8)
    with pytest.raises(SizeMismatch, match="of 9 bytes meets a receive of 8"):
        flow.fits(3, 9, 3, 8)


def test_a_message_of_an_earlier_sample():
    assert not FlowControl().fits(2, 8, 3, 8)
    with pytest.raises(SampleMismatch, match="of sample 2 meets a receive of sample 3"):
        FlowControl(1).fits(2, 8, 3, 8)

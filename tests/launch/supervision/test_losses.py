"""Messages and acknowledgements that get lost end the run with a sentence; slow or stopped cores never do."""

import time

import pytest
from images import byte_tensor, write_image
from run_processes import process_of, stopped
from stepper import program

from emu.chaos.spec import Chaos
from emu.noc.watch.watch import Overdue
from emu.noc.wire.transports import TRANSPORTS
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from launch.chips.power import power_on
from launch.supervision.errors import MessageLost, RunTimeout
from launch.supervision.loss_detector import LossDetector

SENDS = [("send", 2, 0, 8)] * 5
RECEIVES = [("recv", 0, 0, 8)] * 5


@pytest.fixture
def stream(tmp_path):
    """Core 0 sends five messages to core 2, which then syncs core 1, which stores y."""
    programs = {
        0: program(0, ("lldi", 0, 1, 8), *SENDS),
        1: program(1, ("lldi", 0, 1, 8), ("wait", 3, 1), ("st", 0, 0, 8)),
        2: program(2, *RECEIVES, ("sync", 1, 3)),
    }
    return write_image(tmp_path / "stream", programs, (), (byte_tensor("y", 8, 0),))


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("flow", "lost", "sentence"),
    [
        (
            "rendezvous",
            "drop-credit:2@3",
            "the acknowledgement of message 3 from core 0 to core 2 was lost: core 0 waits for it at main[4] send "
            "(sample 0); core 2 has taken the message and stands at main[4] recv (sample 0)",
        ),
        (
            "rendezvous",
            "drop:0@3",
            "message 3 from core 0 to core 2 was lost: core 2 waits for it at main[3] recv (sample 0); "
            "core 0 has sent it and stands at main[4] send (sample 0)",
        ),
        (
            "credits:1",
            "drop-credit:2@3",
            "the acknowledgement of message 3 from core 0 to core 2 was lost: core 0 waits for it at main[5] send "
            "(sample 0); core 2 has taken the message and stands at main[4] recv (sample 0)",
        ),
        (
            "credits:8",
            "drop:0@4",
            "message 4 from core 0 to core 2 was lost: core 2 waits for it at main[4] recv (sample 0); core 0 has",
        ),
    ],
)
def test_a_loss_is_told_with_both_cores_and_places(stream, flow, lost, sentence):
    with power_on(stream, flow=flow, timeout=30, chaos=Chaos((lost,))) as chip:
        began = time.monotonic()
        with pytest.raises(MessageLost) as error:
            chip.run({})
        assert TRANSPORTS["ipc"].grace <= time.monotonic() - began < 10
    assert str(error.value).startswith(sentence)
    assert error.value.exit_code == 5 and len(error.value.losses) == 1


def test_a_loss_over_tcp_is_told(stream):
    chip_of_tcp = power_on(stream, transport="tcp", timeout=30, chaos=Chaos(("drop:0@0",)))
    with chip_of_tcp as chip, pytest.raises(MessageLost, match="message 0 from core 0 to core 2 was lost"):
        chip.run({})


def test_a_stopped_receiver_has_lost_nothing(stream):
    """The board says that a message was sent to a core that waits for it, and all stands still."""
    with power_on(stream, flow="credits:8", timeout=30) as chip:
        process = process_of(chip, 2)
        with stopped(process):
            chip.supervisor.timeout = TRANSPORTS["ipc"].grace + 0.5
            with pytest.raises(RunTimeout, match="core 2 is stopped"):
                chip.run({})


def test_a_core_that_computes_keeps_a_loss_from_being_told(tmp_path):
    """Time is no proof: whoever still runs may be what the others wait for."""
    busy = SectionBuilder()
    with busy.loop(1 << 30), busy.loop(1 << 30):
        busy.emit("sadd", rd=0, rs1=0, rs2=1)
    programs = {0: program(0, ("lldi", 0, 1, 8), *SENDS), 1: Program(1, main=busy.finish()), 2: program(2, *RECEIVES)}
    image = write_image(tmp_path / "busy", programs)
    with power_on(image, engine="step", timeout=30, chaos=Chaos(("drop:0@0",))) as chip:
        chip.supervisor.timeout = TRANSPORTS["ipc"].grace + 0.5
        with pytest.raises(RunTimeout):
            chip.run({})


def test_only_a_whole_grace_time_without_any_movement_counts():
    seen, run_counts, now = Overdue([], b"board"), {"thread": "1"}, 0.0
    watch = LossDetector(TRANSPORTS["ipc"].grace)

    def looks(count, seconds=0.2):
        """What so many looks find, the first that finds anything being the last."""
        nonlocal now
        found = []
        while not any(found) and len(found) < count:
            now += seconds
            found.append(watch.judge(dict(run_counts) or None, now) if watch.look(seen, now) else None)
        return found

    enough = 5  # one to see the board, one to see the threads of a board that stands still, and the grace time
    assert looks(enough - 1) == [None] * (enough - 1)
    run_counts["thread"] = "2"  # a thread has run
    assert looks(2) == [None] * 2
    seen = Overdue([], b"another board")
    assert looks(enough - 1) == [None] * (enough - 1)
    seen = None  # a core goes on
    assert looks(1) == [None]
    seen = Overdue([], b"board")
    assert looks(enough)[:-1] == [None] * (enough - 1)
    assert looks(1) == [seen]
    run_counts.clear()  # a thread runs, always
    assert looks(20) == [None] * 20


def test_nobody_is_judged_who_was_not_looked_for():
    watch, seen = LossDetector(0.0), Overdue([], b"board")
    assert watch.judge({}, 0.0) is None
    assert [watch.look(seen, now) for now in (1.0, 2.0)] == [False, True]
    assert watch.judge({}, 2.0) is None and watch.judge({}, 2.0) is None
    assert watch.look(seen, 3.0) and not watch.look(None, 4.0) and watch.judge({}, 4.0) is None

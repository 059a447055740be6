"""Whatever an end of a link says, the other end takes it, or refuses it in one sentence that names who said it."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict
from functools import partial
from typing import Any

import pytest
from agents import PATIENCE
from hypothesis import given
from hypothesis import strategies as st
from images import byte_tensor, write_image
from stepper import program

from emu.core.trap import TrapRecord
from emu.errors import EmuError, InputError
from emu.image.json_fields import Field
from emu.noc.watch.board import Board
from launch.chips.power import power_on
from launch.machines.agent import Agent
from launch.machines.content.messages import TO_LAUNCHER
from launch.machines.content.sender import ImageSender
from launch.machines.facts import MachineFacts
from launch.machines.handle import AgentHandle
from launch.machines.joining import Joined
from launch.machines.link.end import ANSWER, ASK, LinkEnd
from launch.machines.listening import AgentListener
from launch.machines.remote import RemoteMachine
from launch.machines.reported import check_from, report_from
from launch.processes.orders import ZYGOTE, ProcessReport, ReportKind
from launch.system.doctor import OK, DoctorCheck

RECORD = TrapRecord(3, "main", 7, "ld", (1, 2), 0, "conv", "address out of range", "dst", 9, 8)
REPORT = ProcessReport(ReportKind.TRAP, ZYGOTE, "a text", 0, -1, RECORD, 17)
SAID_BY_AGENTS: dict[str, dict[str, Any]] = {
    "REPORT": {"run": 1, "report": {**asdict(REPORT), "event": 1, "record": {**asdict(RECORD), "counters": [1, 2]}}},
    "BOARD": {"run": 1, "asked": 0, "words": b"\1" + bytes(7), "values": bytes(8), "last": True},
    "STOPPED": {"run": 1},
    "LEFT": {"sentence": "it was ended"},
    ANSWER: {"number": 0, "answer": None},
    "WANT": {"image": 0, "parts": []},
    "CREDIT": {"image": 0, "pieces": 1},
    "HAVE": {"image": 0, "place": "/tmp/there"},
    "REFUSED": {"image": 0, "sentence": "it is full", "damaged": False},
}
SAID_BY_LAUNCHERS: dict[str, dict[str, Any]] = {
    "SNAPSHOT": {"run": 1, "asked": 3},
    "STOP": {"run": 1},
    "FORGET": {"run": 1},
    "END": {},
    ASK: {"number": 1, "what": "run_counts", "values": {"run": 1, "cores": [1]}},
    "OFFER": {"image": 0, "files": [["manifest.json", 3, "0" * 64]], "shared": "/nowhere"},
    "PIECE": {"image": 0, "sha256": "0" * 64, "offset": 0, "data": b"abc"},
}
ANSWERS = {
    "processes": {"core 1": 5},
    "forked": 2,
    "members": ["core 1"],
    "stopped": [["core 1", "SIGSTOP", 1], ["the zygote", "a debugger", None]],
    "run_counts": b"digest",
    "awake": ["core 1"],
}
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.integers(0, 9), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def strange(draw, said):
    """A message with something in it that is missing, too much or another thing, however deep."""
    kind = draw(st.sampled_from(sorted(said)))
    place = values = deepcopy(said[kind])
    while True:
        keys: list[Any] = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys or draw(st.integers(0, 4)) == 0:
            if isinstance(place, dict):
                place[draw(st.text(max_size=5))] = draw(PLAIN)
            else:
                place.append(draw(PLAIN))
            return kind, values
        key = draw(st.sampled_from(keys))
        if not (isinstance(place[key], dict | list) and draw(st.booleans())):
            if draw(st.booleans()):
                place[key] = draw(PLAIN)
            else:
                del place[key]
            return kind, values
        place = place[key]


class Idle:
    """What an agent needs that has joined a launcher, and has nothing to do."""

    def __init__(self) -> None:
        self.end = LinkEnd()

    def close(self) -> None:
        self.end.close()


class Replying(AgentHandle):
    """An agent that answers every question at once."""

    def __init__(self, answer: Any) -> None:
        super().__init__(0, "h1", MachineFacts())
        self.answer = answer

    def ask(self, what: str, seconds: float, **values: Any) -> Any:
        return self.answer


def refused_well(error: EmuError, other: str) -> bool:
    """One short sentence, with the name of who said it."""
    return other in str(error) and len(str(error)) < 2000


def told_to_launcher(directory, kind: str, values: dict[str, Any]) -> AgentHandle:
    """What an agent says, in a run of number 1 there, is heard by the launcher, who looks at reports and boards."""
    handle, board = AgentHandle(0, "h1", MachineFacts()), Board.private([1])
    machine = RemoteMachine(handle)
    try:
        machine.update(board)
        ((_, asked),) = handle.outbox
        sender = ImageSender("h1", directory, [], handle.send)
        for image_kind in TO_LAUNCHER:
            handle.on(image_kind, partial(sender.take, image_kind))
        handle.inbox.append((kind, {**values, "run": asked["run"]} if values.get("run") == 1 else values))
        machine.reports()
        machine.update(board)
    finally:
        handle.close()
    return handle


@given(strange(SAID_BY_AGENTS))
def test_the_launcher_refuses_what_no_agent_says(tmp_path_factory, message):
    try:
        handle = told_to_launcher(tmp_path_factory.getbasetemp(), *message)
        assert len(handle.loss()) < 2000
    except EmuError as error:
        assert refused_well(error, "host h1"), str(error)


@given(strange(SAID_BY_LAUNCHERS))
def test_an_agent_refuses_what_no_launcher_says(message):
    idle = Idle()
    try:
        with Agent(idle, idle) as agent:  # type: ignore
            idle.end.inbox.append(message)
            idle.end.pump()
            assert agent.runs == 0
    except EmuError as error:
        assert refused_well(error, "the launcher"), str(error)


@given(st.sampled_from(sorted(ANSWERS)), PLAIN)
def test_answers_are_what_was_asked_for_or_refused(what, answer):
    status = RemoteMachine(Replying(answer)).status
    ask = {"awake": lambda: status.awake(["core 1"])}.get(what, getattr(status, what))
    try:
        ask()
    except EmuError as error:
        assert refused_well(error, f"host h1: {what}"), str(error)


def test_what_is_said_rightly_is_taken(tmp_path):
    for kind, values in SAID_BY_AGENTS.items():
        if kind == "REFUSED":
            with pytest.raises(EmuError, match="host h1 does not take the image: it is full"):
                told_to_launcher(tmp_path, kind, values)
        else:
            told_to_launcher(tmp_path, kind, values)
    for what, answer in ANSWERS.items():
        status = RemoteMachine(Replying(answer)).status
        assert status.awake(["core 1"]) == {"core 1"} if what == "awake" else getattr(status, what)()


@pytest.mark.parametrize(
    ("kind", "values", "why"),
    [
        ("STOPPED", {}, "run is missing"),
        ("STOPPED", {"run": 1, "more": 2}, "'more' is unknown"),
        ("STOPPED", {"run": True}, "run is True"),
        ("REPORT", {"run": 1, "report": 5}, "report is 5"),
        ("LEFT", {"sentence": b"gone"}, "sentence is b'gone'"),
    ],
)
def test_what_is_wrong_is_said(kind, values, why):
    handle = AgentHandle(0, "h1", MachineFacts())
    RemoteMachine(handle)
    handle.inbox.append((kind, values))
    with pytest.raises(InputError, match=f"^host h1 says {kind} as none of this version does: {why}; install the same"):
        handle.pump()
    handle.close()


def test_a_report_is_about_a_core_of_the_host():
    plain = SAID_BY_AGENTS["REPORT"]["report"]
    assert report_from(Field(plain, "", ""), []) == REPORT
    assert report_from(Field({**plain, "core": 4}, "", ""), [4]).core == 4
    with pytest.raises(InputError, match="h1: core 5 is not there"):
        report_from(Field({**plain, "core": 5}, "h1", ""), [4])


def test_a_text_of_an_agent_is_short():
    plain = {**SAID_BY_AGENTS["REPORT"]["report"], "text": "line\n" * 2000 + "last"}
    text = report_from(Field(plain, "", ""), []).text
    assert text.endswith("line\nlast") and len(text) < 4000


def test_a_check_says_how_it_went():
    check = DoctorCheck("memory", OK, "much")
    assert check_from(Field(check.to_dict(), "", "")) == check
    with pytest.raises(InputError, match="h1: status is 'fine'"):
        check_from(Field({**check.to_dict(), "status": "fine"}, "h1", ""))


@contextmanager
def strange_agent(listener: AgentListener, rank: int, kind: str, values: dict[str, Any]) -> Iterator[None]:
    """An agent of this process that joins, and says nothing but this when it is to run something."""
    with Joined(listener.bootstrap) as joined:
        over = threading.Event()
        joined.end.on("ORDERS", lambda run, orders: joined.end.send(kind, **{**values, "run": run}))
        joined.end.on("STOP", lambda run: joined.end.send("STOPPED", run=run))

        def serve() -> None:
            joined.join(rank, f"h{rank}", PATIENCE)
            while not over.is_set():
                joined.end.wait(0.05)
                joined.end.pump()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize(
    ("kind", "values", "why"),
    [
        ("REPORT", {"report": {"core": 1}}, "host h0: REPORT: key 'event' is missing"),
        ("STOPPED", {"more": 1}, "host h0 says STOPPED as none of this version does: 'more' is unknown"),
        ("BOARD", {"asked": 0, "words": b"\xff" * 8, "values": bytes(8), "last": True}, "host h0 has sent a copy of"),
    ],
)
def test_a_run_ends_with_the_name_of_the_host_that_says_what_none_says(tmp_path, kind, values, why):
    programs = {0: program(0, ("ld", 0, 0, 8), ("send", 1, 0, 8)), 1: program(1, ("recv", 0, 0, 8), ("st", 8, 0, 8))}
    image = write_image(tmp_path / "pair", programs, (byte_tensor("x", 8, 0),), (byte_tensor("y", 8, 8),))
    with AgentListener() as listener, strange_agent(listener, 0, kind, values):
        machines = [RemoteMachine(agent) for agent in listener.wait_for(1, PATIENCE)]
        begin = time.monotonic()
        with pytest.raises(InputError, match=f"^{why}"), power_on(image, others=machines, transport="tcp", timeout=60):
            pass
        assert time.monotonic() - begin < 20

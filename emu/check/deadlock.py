"""Properties: no deadlock under rendezvous, and none under credits:K.

Completion under rendezvous implies completion under every K, and completion under K implies completion under K + 1.
A register of events belongs to one core, which alone waits for it: `wait` is confluent, too. Messages, syncs and waits
belong to a sample, and every sample begins with the events that `init` left. Samples follow each other without a
barrier, but as the order of turns does not matter and one leaves nothing to the next, the first stands for all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from emu.check.verdict import PROVED, Outcome, PropertyResult
from emu.core.trap import INIT_SAMPLE
from emu.noc.deadlock.waitfor import Blocked, DeadlockReport, Direction, find_deadlock
from emu.noc.ports.port import UNBOUNDED, FlowControl
from emu.noc.traffic.traffic import event_sources
from emu.replay.abstract_run import AbstractRun, InitState
from emu.replay.core_view import FIRST_SAMPLE
from emu.replay.traces import RECV, SEND, WAIT, Conversation

_DIRECTIONS = {SEND: Direction.SEND, RECV: Direction.RECV, WAIT: Direction.WAIT}


@dataclass(frozen=True, eq=False)
class Deadlocks:
    """Answers for one set of programs; every flow is run at most once."""

    talk: Conversation
    _left: dict[FlowControl, bool] = field(default_factory=dict)  # whether messages are left over

    @cached_property
    def rendezvous(self) -> DeadlockReport | None:
        """The deadlock under rendezvous."""
        return self.under(FlowControl())

    def under(self, flow: FlowControl) -> DeadlockReport | None:
        """The deadlock of `init` or of the first sample that has one; None if there is none in any sample."""
        state = InitState()
        report = self._section("init", flow, state, INIT_SAMPLE)
        if report is not None:
            return report
        report = self._section("main", flow, state, FIRST_SAMPLE)
        self._left[flow] = any(channel.sent != channel.taken for channel in state.channels.values())
        return report

    def completes(self, flow: FlowControl) -> bool:
        """Whether every sample completes and leaves no message behind for the next one."""
        return self.under(flow) is None and not self._left[flow]

    def _section(self, section: str, flow: FlowControl, state: InitState, sample: int) -> DeadlockReport | None:
        run = AbstractRun(self.talk.traces[section], flow, state)
        if run.run():
            return None
        blocked = {core: self._blocked(run, core, section, sample) for core in run.blocked}
        others = run.at.keys() | {state.peer for state in blocked.values()}  # a peer may have no program at all
        halted = dict.fromkeys(others - blocked.keys(), sample)
        report = find_deadlock(blocked, halted, event_sources(self.talk.programs))
        if report is None:
            raise RuntimeError("no core can run, yet none waits for another: the abstract run lost a wake-up")
        return report

    def _blocked(self, run: AbstractRun, core: int, section: str, sample: int) -> Blocked:
        kind, peer, index = run.waits(core)
        return Blocked(core, _DIRECTIONS[kind], peer, index, self.talk.place(core, section, run.at[core], sample))

    @cached_property
    def longest_queue(self) -> int:
        """More credits than this change nothing: the most messages of a pair."""
        longest = (max(map(len, traces.values()), default=0) for traces in self.talk.traces.values())
        return sum(longest) + 1


def check_rendezvous(deadlocks: Deadlocks) -> PropertyResult:
    """Exact, by one abstract run."""
    return _result(deadlocks.rendezvous)


def check_credits(deadlocks: Deadlocks) -> PropertyResult:
    """For every K at once; a refutation tells from which K on the programs complete."""
    if deadlocks.rendezvous is None:
        return PROVED
    report = deadlocks.under(FlowControl(1))
    if report is None:
        return check_flow(deadlocks, FlowControl(1))
    if not deadlocks.completes(UNBOUNDED):
        return _result(report, "credits:1, as with any number of credits: ")
    low, high = 1, deadlocks.longest_queue
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if deadlocks.completes(FlowControl(middle)) else (middle, high)
    return _result(report, f"credits:1 (credits:{high} and more complete): ")


def check_flow(deadlocks: Deadlocks, flow: FlowControl) -> PropertyResult:
    """For one flow with credits."""
    if deadlocks.rendezvous is None or deadlocks.completes(flow):
        return PROVED
    report = deadlocks.under(flow)
    if report is None:
        return PropertyResult.unproved("sends and receives do not match, so messages pile up from sample to sample")
    return _result(report)


def _result(report: DeadlockReport | None, under: str = "") -> PropertyResult:
    return PROVED if report is None else PropertyResult(Outcome.REFUTED, under + str(report), None, report)

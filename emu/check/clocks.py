"""Happens-before between cores: vector clocks along one abstract run of `main`."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np

from emu.noc.ports.port import UNBOUNDED, FlowControl
from emu.replay.abstract_run import AbstractRun, InitState
from emu.replay.traces import RECV, SEND, SYNC, ExchangeTrace, syncs_of

Epoch = tuple[int, int]  # core, number of communication steps that it has completed


class Clocks:
    """What each core knows of the others' steps at the epochs that were asked for.

    Program order, a message before what follows its receipt, and the receipt that makes room before the end of the send
    that the flow lets end by it. None leaves those out, so that the order holds under every flow. A `wait` follows the
    syncs that it cannot do without.
    """

    def __init__(
        self,
        traces: Mapping[int, ExchangeTrace],
        flow: FlowControl | None,
        wanted: set[Epoch],
        events: Mapping[tuple[int, int], int],
    ) -> None:
        self._traces, self._flow, self._wanted = traces, flow, wanted
        self._place = {core: k for k, core in enumerate(traces)}
        self._now = {core: np.zeros(len(traces), np.int32) for core in traces}
        self._known: dict[Epoch, np.ndarray] = {epoch: self._now[epoch[0]] for epoch in wanted if epoch[1] == 0}
        self._mail: dict[tuple[int, int], deque[np.ndarray]] = {}
        self._receipts: dict[tuple[int, int], deque[np.ndarray]] = {}
        self._sends: dict[tuple[int, int], int] = {}
        self._syncs: dict[tuple[int, int], dict[int, list[np.ndarray]]] = {}
        self._consumed: dict[tuple[int, int], int] = {}
        self._before = events  # in the registers when `main` begins
        self._all_syncs = syncs_of(traces)
        self._run()

    def before(self, first: Epoch, second: Epoch) -> bool:
        """Whether what a core does in epoch `first` happens before what another does in epoch `second`."""
        if first[0] == second[0]:
            return first[1] < second[1]
        known = self._known.get(second)
        return known is not None and int(known[self._place[first[0]]]) > first[1]

    def _run(self) -> None:
        log: list[tuple[int, int]] = []
        AbstractRun(self._traces, self._flow or UNBOUNDED, InitState(events=dict(self._before)), log).run()
        columns = {core: (t.kind.tolist(), t.peer.tolist(), t.amount.tolist()) for core, t in self._traces.items()}
        for core, at in log:
            kinds, peers, amounts = columns[core]
            self._step(core, at, kinds[at], peers[at], amounts[at])

    def _step(self, core: int, at: int, kind: int, peer: int, amount: int) -> None:
        known = [self._now[core], *self._others(core, kind, peer, amount)]
        now = np.maximum.reduce(known) if len(known) > 1 else known[0].copy()
        now[self._place[core]] = at + 1
        self._now[core] = now
        if kind == SEND:
            self._sends[core, peer] = self._sends.get((core, peer), 0) + 1
            if self._flow is None or not self._flow.lends:
                self._mail.setdefault((core, peer), deque()).append(now)
        elif kind == RECV and self._flow is not None:
            self._receipts.setdefault((peer, core), deque()).append(now)
        elif kind == SYNC:
            self._syncs.setdefault((peer, amount), {}).setdefault(core, []).append(now)
        if (core, at + 1) in self._wanted:
            self._known[core, at + 1] = now

    def _others(self, core: int, kind: int, peer: int, amount: int) -> list[np.ndarray]:
        """The clocks that reach `core` with this step."""
        if kind == RECV:
            if self._flow is not None and self._flow.lends:  # the sender stands at its send, which counts as begun
                sender = self._now[peer].copy()
                sender[self._place[peer]] += 1
                return [sender]
            mail = self._mail.get((peer, core))
            return [mail.popleft()] if mail else []
        if kind == SEND and self._flow is not None:
            receipts, freed_by = self._receipts.get((core, peer)), self._flow.freed_by(self._sends.get((core, peer), 0))
            return [receipts.popleft()] if receipts and freed_by is not None else []
        return [] if kind in (SEND, SYNC) else self._woken_by(core, peer, amount)

    def _woken_by(self, core: int, event: int, value: int) -> list[np.ndarray]:
        """The last sync of each core without which the register could not have reached what was taken from it."""
        key = (core, event)
        taken = self._consumed[key] = self._consumed.get(key, 0) + value
        totals = self._all_syncs.get(key, {})
        everything, syncs = self._before.get(key, 0) + sum(totals.values()), list[np.ndarray]()
        for source, count in totals.items():
            needed = taken - (everything - count)
            if needed > 0:
                syncs.append(self._syncs[key][source][needed - 1])
        return syncs

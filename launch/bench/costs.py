"""The table of costs: what one step costs at each boundary, and messages and instructions beside bare ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from emu.noc.wire.library import LARGE
from launch.bench.boundaries import BOARD, COPY, FITS, HEADER, RECEIVED, REQUEST, SENT, THREADS
from launch.bench.instructions import InstructionCost, instruction_steps
from launch.bench.probe import probe
from launch.bench.steps import PAYLOAD, SMALL, WAKE, message_steps
from launch.bench.traffic import MeasuredCost, beside_bare, boundary_calls
from launch.bench.workshop import Workshop

PROCESSES, RING = (2, 16, 64), 16  # of chains; of the one whose messages are taken apart
SIZES = (64, 1 << 16, 1 << 20)  # bytes
MESSAGES, BYTES = 2048, 1 << 28  # of one turn, at most
COUNTED = 32  # rounds in which calls are counted
STEPS: Mapping[str, str] = {
    WAKE: "a byte through a pipe to a process that sleeps, on one processor: both processes",
    SENT: f"`Socket.send` of a frame of {SMALL} bytes or less",
    RECEIVED: "`Socket.recv` or `recv_into` of one that is there",
    THREADS: "such a message through ZeroMQ's threads at both ends, system calls included",
    PAYLOAD: "what the bytes of the payload add: copies of the transport, without wake-ups",
    HEADER: "`encode_header`, and a comparison",
    FITS: "`FlowControl.fits`",
    BOARD: "a method of `BoardRow`; mean of `at`, `does`, `runs`, `sent` and `took`",
    REQUEST: "`Core.advance`, `position` and `complete` of a send",
    COPY: "the payload into local memory, where ZeroMQ does not put it there",
}
# What a message of the bare chain comes to: its payload, then an identity and an empty frame to acknowledge it.
# A large payload is copied at both ends, where ours is lent at one.
BARE_CALLS: Mapping[str, float] = {SENT: 3, RECEIVED: 3, THREADS: 2, PAYLOAD: 1}
BARE_COPIES = 2


@dataclass(frozen=True, slots=True)
class ChainCost:
    """A message of `size` bytes through a ring of so many processes, ours and bare."""

    processes: int
    size: int
    ours: MeasuredCost
    bare: MeasuredCost


@dataclass(frozen=True, slots=True)
class MessageCost:
    """The steps of a message: seconds of each, and how often it comes, ours and bare; `chain` is what is measured."""

    chain: ChainCost
    seconds: Mapping[str, float]
    calls: Mapping[str, float]
    bare_calls: Mapping[str, float]

    def sums(self) -> tuple[float, float]:
        """Processor seconds of all steps, ours and bare."""
        ours, bare = (
            sum(self.seconds[step] * times for step, times in calls.items()) for calls in (self.calls, self.bare_calls)
        )
        return ours, bare


@dataclass(frozen=True, slots=True)
class Costs:
    """What was found; all seconds."""

    chains: Sequence[ChainCost]
    messages: Sequence[MessageCost]
    instructions: Sequence[InstructionCost]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "chains": [asdict(chain) for chain in self.chains],
            "messages": [asdict(message) | {"sums": list(message.sums())} for message in self.messages],
            "instructions": [asdict(each) for each in self.instructions],
        }


def measure_costs(work: Workshop) -> Costs:
    """Measure, each part in a fresh process."""
    quick, runs = work.settings.quick, work.settings.pairs
    least = 0.0005 if quick else 0.002
    processes = PROCESSES[:1] if quick else PROCESSES
    ring = processes[0] if quick else RING
    chains = [_chain(work, count, size) for count in processes for size in SIZES]
    messages = [
        _message(chain, probe(message_steps, size=chain.size, runs=runs, least=least).result)
        for chain in chains
        if chain.processes == ring
    ]
    instructions = probe(instruction_steps, runs=runs, least=least).result
    return Costs(chains, messages, [InstructionCost(**each) for each in instructions])


def _chain(work: Workshop, processes: int, size: int) -> ChainCost:
    messages = min(MESSAGES, BYTES // size) // (16 if work.settings.quick else 1)
    rounds = max(2, messages // processes)
    ours, bare = probe(beside_bare, cores=processes, size=size, rounds=rounds, runs=work.settings.few).result
    return ChainCost(processes, size, MeasuredCost(**ours), MeasuredCost(**bare))


def _message(chain: ChainCost, seconds: Mapping[str, float]) -> MessageCost:
    counted = probe(boundary_calls, cores=chain.processes, size=chain.size, rounds=COUNTED).result
    calls = dict(counted) | {WAKE: chain.ours.wakes, PAYLOAD: 1}
    copies = {COPY: BARE_COPIES} if chain.size >= LARGE else {}
    return MessageCost(chain, seconds, calls, {WAKE: chain.bare.wakes, **BARE_CALLS, **copies})

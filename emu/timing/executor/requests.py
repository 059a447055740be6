"""The life of each kind of request, step by step as README.md of `emu.timing` tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from emu.isa.instruction import RequestKind
from emu.timing.basis.log import OperationPhase, Reason
from emu.timing.basis.result import Cause
from emu.timing.basis.units import MEMORY
from emu.timing.executor.chip import ChipState, PairMessage
from emu.timing.executor.flight import Flight
from emu.timing.executor.kernel import Process, Signal

Access = Callable[[Flight, OperationPhase, int], Process]  # a port of the core's local memory, and waiting for it


def _ready(flight: Flight) -> Process:
    yield flight.cost("compute")
    flight.mark(OperationPhase.READY, Reason.WORK)


def _send(chip: ChipState, flight: Flight, access: Access) -> Process:
    channel = chip.channel(flight.core, flight.field("arg0"))
    number = channel.sent
    channel.sent += 1
    yield from _ready(flight)
    if chip.setup.credits:
        free = channel.message(number - chip.setup.credits) if number >= chip.setup.credits else None
        yield from _send_credit(chip, flight, access, channel.message(number), free)
    else:
        yield from _send_rendezvous(chip, flight, access, channel.message(number))


def _send_rendezvous(chip: ChipState, flight: Flight, access: Access, message: PairMessage) -> Process:
    peer, kernel = flight.field("arg0"), chip.kernel
    there, back = chip.distance(flight.core, peer), chip.distance(peer, flight.core)
    yield there
    asked = kernel.now
    kernel.fire(message.asked, flight.note(OperationPhase.GRANTED, Reason.NETWORK))
    yield message.wanted
    flight.block(Cause.RECEIVER, kernel.now - asked, peer)
    late = kernel.now > asked
    yield back
    flight.mark(
        OperationPhase.GRANTED, Reason.PEER if late else Reason.NETWORK, message.wanted.moment if late else None
    )
    yield from access(flight, OperationPhase.READ, flight.cost("read"))
    injected = kernel.now
    yield from chip.inject(flight, flight.core, peer, message.arrived)
    yield message.taken
    yield back
    flight.block(Cause.NETWORK, there + back + kernel.now - injected)
    flight.mark(OperationPhase.FINISHED, Reason.PEER, message.taken.moment)


def _send_credit(
    chip: ChipState, flight: Flight, access: Access, message: PairMessage, free: PairMessage | None
) -> Process:
    peer, ready, kernel = flight.field("arg0"), chip.kernel.now, chip.kernel
    if free is not None:
        yield free.returned
    if kernel.now > ready and free is not None:
        flight.mark(OperationPhase.GRANTED, Reason.PEER, free.returned.moment)
        flight.block(Cause.RECEIVER, kernel.now - ready, peer)
    yield from access(flight, OperationPhase.READ, flight.cost("read"))
    message.injected = kernel.now
    yield from chip.inject(flight, flight.core, peer, message.arrived)
    flight.block(Cause.NETWORK, kernel.now - message.injected)
    flight.mark(OperationPhase.FINISHED, Reason.NETWORK)


def _recv(chip: ChipState, flight: Flight, access: Access) -> Process:
    peer, kernel = flight.field("arg0"), chip.kernel
    channel = chip.channel(peer, flight.core)
    message = channel.message(channel.taken)
    channel.taken += 1
    yield from _ready(flight)
    ready = kernel.now
    if chip.setup.credits:
        yield message.arrived
        flight.block(Cause.SENDER, max(0, message.injected - ready), peer)
        flight.block(Cause.NETWORK, max(0, kernel.now - max(ready, message.injected)))
    else:
        kernel.fire(message.wanted, flight.moment)
        yield message.asked
        asked = kernel.now
        flight.block(Cause.SENDER, asked - ready, peer)
        yield message.arrived
        flight.block(Cause.NETWORK, kernel.now - asked)
    if kernel.now > ready:
        flight.mark(OperationPhase.ARRIVED, Reason.PEER, message.arrived.moment)
    yield from access(flight, OperationPhase.FINISHED, flight.cost("write"))
    kernel.fire(message.taken, flight.moment)
    if chip.setup.credits:
        moment = flight.moment
        kernel.after(chip.distance(flight.core, peer), lambda: kernel.fire(message.returned, moment))


def _sync(chip: ChipState, flight: Flight, access: Access) -> Process:
    yield from _ready(flight)
    peer, event, sample, moment = flight.field("arg0"), flight.field("arg1"), flight.sample, flight.moment
    register = chip.register(peer, event)
    chip.kernel.after(chip.distance(flight.core, peer), lambda: register.come(sample, chip.kernel, moment))


def _wait(chip: ChipState, flight: Flight, access: Access) -> Process:
    register, value = chip.register(flight.core, flight.field("arg1")), flight.field("arg0")
    yield from _ready(flight)
    ready = chip.kernel.now
    while not register.take(value, flight.sample):
        yield register.changed
    if chip.kernel.now > ready:
        flight.mark(OperationPhase.FINISHED, Reason.PEER, register.moment)
        flight.block(Cause.EVENT, chip.kernel.now - ready)


def _load(chip: ChipState, flight: Flight, access: Access) -> Process:
    yield from _ready(flight)
    ready, arrived = chip.kernel.now, Signal()
    yield chip.distance(flight.core, MEMORY)
    flight.mark(OperationPhase.ARRIVED, Reason.NETWORK)
    asked = chip.kernel.now
    yield from _serve(chip, flight)
    served = chip.kernel.now
    chip.kernel.resume(chip.inject(flight, MEMORY, flight.core, arrived))
    yield arrived
    flight.moment = arrived.moment
    flight.block(Cause.NETWORK, (asked - ready) + (chip.kernel.now - served))
    yield from access(flight, OperationPhase.FINISHED, flight.cost("write"))


def _store(chip: ChipState, flight: Flight, access: Access) -> Process:
    yield from _ready(flight)
    yield from access(flight, OperationPhase.READ, flight.cost("read"))
    injected, arrived = chip.kernel.now, Signal()
    chip.kernel.resume(chip.inject(flight, flight.core, MEMORY, arrived))
    yield arrived
    flight.moment = arrived.moment
    on_the_way = chip.kernel.now - injected
    yield from _serve(chip, flight)
    back = chip.distance(MEMORY, flight.core)
    yield back
    flight.block(Cause.NETWORK, on_the_way + back)
    flight.mark(OperationPhase.FINISHED, Reason.NETWORK)


def _serve(chip: ChipState, flight: Flight) -> Process:
    """Wait for a port of the global memory, and for its service."""
    asked, service = chip.kernel.now, flight.cost("service")
    yield from flight.serve(chip.memory, OperationPhase.SERVED, service, (Reason.MEMORY, Reason.QUEUE))
    flight.records.memory += service
    flight.block(Cause.MEMORY, chip.kernel.now - asked)


REQUESTS: Mapping[int, Callable[[ChipState, Flight, Access], Process]] = {
    RequestKind.SEND: _send,
    RequestKind.RECV: _recv,
    RequestKind.SYNC: _sync,
    RequestKind.WAIT: _wait,
    RequestKind.LOAD: _load,
    RequestKind.STORE: _store,
}

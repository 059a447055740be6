"""One sample in the sequential driver, with everything that later steps look at: buffers, messages, loads, the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from emu.core.products.threads import one_blas_thread
from emu.core.request import Capture, Load, Recv, Request, Send, Store
from emu.debug.moment import CoreMoment, save_core
from emu.errors import EmuError
from emu.image.reader import Image
from emu.program.program import Program
from launch.bisect.request_observer import Position, RequestObservation
from launch.chips.sequential import SequentialChip
from launch.processes.options import RunOptions


class KeptImage(Image):
    """An image that is looked at again and again: each program is decoded once."""

    def program(self, core: int) -> Program:
        """The decoded, validated program of a core; raises ProgramError."""
        if core not in self._latest:
            self._latest[core] = self._decode(core)
        return self._latest[core]


Key = tuple[int, int]  # core, index into the buffers of its program


@dataclass(slots=True)
class RecordedMessage:
    """One message; `received` is None if nobody has asked for it."""

    src: int
    dst: int
    sent: Position
    data: bytes
    received: Position | None = None


@dataclass(slots=True)
class Stored:
    """Bytes that a core has written to global memory."""

    core: int
    position: Position
    address: int
    data: bytes


@dataclass(slots=True)
class SampleRecording:
    """What the cores have done for one sample; `error` is why they did not come to the end, if they did not."""

    sample: int = 0
    captures: dict[Key, bytes] = field(default_factory=dict)
    outputs: dict[str, np.ndarray] = field(default_factory=dict)
    messages: dict[tuple[int, int], list[RecordedMessage]] = field(
        default_factory=dict
    )  # by (sender, receiver), in order
    loads: dict[int, list[bytes]] = field(default_factory=dict)  # by core, in order
    stores: list[Stored] = field(default_factory=list)
    starts: dict[int, CoreMoment] = field(default_factory=dict)  # by core, where others were run before it
    error: EmuError | None = None
    _asked: dict[tuple[int, int], list[Position]] = field(default_factory=dict)

    def begins(self, core: int, position: Position, request: Request) -> None:
        """Remember what a core sends, where it receives, and the tensors that are complete."""
        if isinstance(request, Send):
            message = RecordedMessage(core, request.peer, position, bytes(request.data))
            self.messages.setdefault((core, request.peer), []).append(message)
        elif isinstance(request, Recv):
            self._asked.setdefault((request.peer, core), []).append(position)
        elif isinstance(request, Capture):
            self.captures[core, request.buffer] = bytes(request.data)

    def ends(self, core: int, position: Position, request: Request) -> None:
        """Remember what a core has loaded or stored."""
        if isinstance(request, Load):
            self.loads.setdefault(core, []).append(bytes(request.into))
        elif isinstance(request, Store):
            self.stores.append(Stored(core, position, request.address, bytes(request.data)))

    def forget(self) -> None:
        """Begin anew, with the next sample."""
        self.messages.clear()
        self.loads.clear()
        self.stores.clear()
        self.captures.clear()
        self.outputs = {}
        self._asked.clear()

    def settle(self) -> None:
        """Messages of a pair match in order: tell each where it was received."""
        for pair, messages in self.messages.items():
            for message, position in zip(messages, self._asked.get(pair, ()), strict=False):
                message.received = position


def record(
    image: Image,
    samples: Sequence[Mapping[str, np.ndarray]],
    options: RunOptions,
    initial: Mapping[str, np.ndarray] | None = None,
) -> SampleRecording:
    """Run `samples` one after the other and record the last one; with `initial`, values of states, they are steps.

    Of the options count `flow` and `engine`. An error of the machine ends the recording and is part of it.
    """
    recording = SampleRecording()
    with one_blas_thread():
        try:
            chip = SequentialChip(image, options, ["all"], [RequestObservation(recording)])
            if initial is not None:
                chip.reset(initial)
            for number, inputs in enumerate(samples):
                recording.forget()
                if number and number == len(samples) - 1:
                    recording.starts = {core: save_core(resumable) for core, resumable in chip.resumables.items()}
                results = chip.steps([inputs]) if initial is not None else chip.stream([inputs])
                for result in results:
                    recording.outputs = result.outputs
                recording.sample = len(samples) - 1
        except EmuError as error:
            recording.error = error
            recording.sample = max(0, getattr(error, "sample", 0))  # init is before the first one
    recording.settle()
    return recording

"""Programs and image of a workload: each core's program is the projection of the total order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from emu.arch import Arch, Network
from emu.image.manifest import Manifest, ModelInfo, TensorSpec, TensorTile
from emu.image.writer import ImageWriter
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.form import Form
from emu.program.program import Program, Source
from emu.stress.payload import STATUS_BYTES, Payload
from emu.stress.workload import StressMessage, Workload

START, STATUS = "start", "status"  # input: number of the first message; output: what each core reports
STATUS_ADDRESS = 64  # of global memory; the input is at 0
SENDING, RECEIVING = True, False


def programs(workload: Workload) -> Iterator[Program]:
    """One program per core."""
    payload = Payload(workload.largest)
    parts = [_projections(workload, phase) for phase in range(len(workload.phases))]
    prepared = SectionBuilder()
    payload.prepare(prepared)
    init = prepared.finish()
    sources = tuple(Source(workload.pattern, f"phase {phase}") for phase in range(len(parts)))
    for core in range(workload.cores):
        main = SectionBuilder()
        payload.begin(main, 0)
        with main.loop(workload.rounds):
            for phase, part in enumerate(parts):
                main.source = phase
                _phase(main, payload, workload, phase, part.get(core, []))
        main.source = -1
        main.emit("st", (), [Address(STATUS_ADDRESS + STATUS_BYTES * core), Address(0)], size=STATUS_BYTES)
        main.emit("halt")
        yield Program(core, init=init, main=main.finish(), sources=sources)


def write_workload(out: Path, workload: Workload) -> None:
    """Write the image of a workload; raises InputError if `out` cannot be written."""
    cores = workload.cores
    arch = Arch(name="stress", cores=cores, network=Network(width=workload.mesh_width))
    inputs = (_vector(START, 1, 0),)
    outputs = (_vector(STATUS, STATUS_BYTES // DType.i32.size * cores, STATUS_ADDRESS),)
    options = {"cores": str(cores), "rounds": str(workload.rounds), "largest": str(workload.largest)}
    size = STATUS_ADDRESS + STATUS_BYTES * cores
    with ImageWriter(out) as writer:
        for program in programs(workload):
            writer.add_core(program, ())
        writer.finish(Manifest(arch, (), inputs, outputs, size, ModelInfo(workload.pattern), options=options))


def _vector(name: str, length: int, address: int) -> TensorSpec:
    form = Form((1, length), (length, 1, 1), ("", "C"))
    return TensorSpec(name, form, DType.i32, (TensorTile(form.whole, address),))


def _projections(workload: Workload, phase: int) -> dict[int, list[tuple[bool, StressMessage]]]:
    """Per core, what it does in a phase."""
    steps_of: dict[int, list[tuple[bool, StressMessage]]] = {}
    for message in workload.messages_of(phase):
        steps_of.setdefault(message.src, []).append((SENDING, message))
        steps_of.setdefault(message.dst, []).append((RECEIVING, message))
    if workload.phases[phase].receive_first:
        steps_of = {core: sorted(steps, key=lambda step: step[0]) for core, steps in steps_of.items()}
    return steps_of


def _phase(
    main: SectionBuilder, payload: Payload, workload: Workload, phase: int, steps: list[tuple[bool, StressMessage]]
) -> None:
    repeat, count = workload.phases[phase].repeat, len(workload.phases[phase].pairs)
    if repeat == 1 or not steps:
        _steps(main, payload, steps)
        payload.count(main, repeat * count)
        return
    with main.loop(repeat):
        _steps(main, payload, steps)
        payload.count(main, count)


def _steps(main: SectionBuilder, payload: Payload, steps: list[tuple[bool, StressMessage]]) -> None:
    for sending, message in steps:
        if sending:
            payload.send(main, message.dst, message.index, message.size)
        else:
            payload.receive(main, message.src, message.index, message.size)

"""Images run in this process, exported, and run again by the second opinion."""

import exported_files
import numpy as np
from images import byte_tensor

from emu.core.engines.core import Core
from emu.image.layout import from_memory, to_tiles
from emu.image.manifest import Manifest
from emu.image.reader import open_image
from emu.image.writer import ImageWriter
from emu.interop.pim_isa.exporting.export import export_image
from emu.interop.pim_isa.importing.import_program import ImportRequest, import_program
from emu.isa.address import Address
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import RoundRobin
from emu.noc.memory.global_memory import SampleMemories
from emu.noc.memory.read_only import ReadOnlyMemory
from emu.noc.ports.port import FlowControl
from emu.program.builder import SectionBuilder
from emu.program.program import Program

LOCAL = 4096  # bytes that a test program loads, works on, and stores


def run_image(path, sample=None, engine="step"):
    """Outputs by name of an image for its stored input (or `sample`), one core after the other in this process."""
    image = open_image(path)
    sample = sample or {name: array[0] for name, array in (image.default_inputs() or {}).items()}
    programs = {core: image.program(core) for core in image.cores}
    cores = {core: Core(program, image.arch, image.weights(core), engine) for core, program in programs.items()}
    memories = SampleMemories(image.manifest.global_size, ReadOnlyMemory(image.read_only()))
    scheduler = RoundRobin(cores, programs, Fabric(FlowControl.parse("rendezvous"), memories.of))
    scheduler.run("init", 0)
    memory = memories.open(0)
    for spec in image.manifest.inputs:
        for address, tile in to_tiles(spec, sample[spec.name]):
            memory.write(address, memoryview(tile).cast("B"))
    scheduler.run("main", 0)
    return {spec.name: from_memory(spec, memory.view) for spec in image.manifest.outputs}


def one_core_image(out, arch, emit, content, groups=(), weights=()):
    """An image whose core loads LOCAL bytes, does what `emit` writes into its section, and stores them again."""
    section = SectionBuilder()
    section.emit("ld", (), (Address(0), Address(0)), size=LOCAL)
    emit(section)
    section.emit("st", (), (Address(LOCAL), Address(0)), size=LOCAL)
    section.emit("halt")
    given, made = byte_tensor("x", LOCAL, 0), byte_tensor("y", LOCAL, LOCAL)
    with ImageWriter(out) as writer:
        writer.add_core(Program(0, tuple(groups), main=section.finish()), list(weights))
        with writer.add_file("inputs.npz") as file:
            np.savez(_Plain(file), x=content[None, None])
        writer.finish(Manifest(arch, (), (given,), (made,), 2 * LOCAL, default_input="inputs.npz"))
    return out


class _Plain:
    """What NumPy takes for a file."""

    def __init__(self, file):
        self.write, self.tell, self.seek, self.flush = file.write, file.tell, file.seek, file.flush

    def read(self):
        raise OSError


def second_outputs(image, folder, sample):
    """Outputs by name of the second opinion on the export `folder` of an image, for `sample`."""
    manifest = open_image(image).manifest
    memory = np.fromfile(folder / "memory.bin", np.uint8)
    for spec in manifest.inputs:
        for address, tile in to_tiles(spec, sample[spec.name]):
            memory[address : address + tile.nbytes] = tile.reshape(-1).view(np.uint8)
    exported_files.run_program(folder, memory)
    return {
        spec.name: from_memory(spec, lambda at, size: memory[at : at + size].tobytes()) for spec in manifest.outputs
    }


def second_run(image, folder, form="pimsim", weights="npy"):
    """Bytes of global memory after the second opinion has run the export of an image, and the export's config."""
    export_image(open_image(image), folder, form, weights)
    return exported_files.run_program(folder)


def imported(program, out):
    """The image that an exported program becomes."""
    import_program(ImportRequest(path=program), out)
    return out

"""Images run in this process, exported, and run again by the second opinion."""

import numpy as np
import second_opinion
from images import byte_tensor, write_image
from in_process import Compiled, run_in_process

from emu.foreign.exporting.export import export_image
from emu.image.manifest import Manifest
from emu.image.reader import open_image
from emu.image.writer import ImageWriter
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Program

LOCAL = 4096  # bytes that a test program loads, works on, and stores


def run_image(path, sample=None, engine="step"):
    """Outputs by name of an image, for its stored input or another one."""
    image = open_image(path)
    programs = {core: image.program(core) for core in image.cores}
    weights = {core: image.weights(core) for core in image.cores}
    manifest = image.manifest
    compiled = Compiled(None, programs, weights, manifest.inputs, manifest.outputs, manifest.global_size, manifest.arch)
    stored = image.default_inputs() or {}
    sample = sample or {name: array[0] for name, array in stored.items()}
    return run_in_process(compiled, [sample], engine)[0]


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


def second_run(image, folder, form="pimsim", weights="npy"):
    """Bytes of global memory after the second opinion has run the export of an image, and the export's config."""
    export_image(open_image(image), folder, form, weights)
    return second_opinion.run_program(folder)


__all__ = ["LOCAL", "DType", "one_core_image", "run_image", "second_run", "write_image"]

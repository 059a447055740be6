"""Every loader of the product, with a sound file for it, the ways to damage that, and what reads it."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from bombs import npz_with_bomb
from images import ARCH, byte_tensor
from mutations import BINARY, JSON, MSGPACK, TEXT, mutate
from onnx_models import one_node, random_array
from pim_binary import binary
from stepper import program as stepper_program

from compiler.compiling import lower
from compiler.frontend.importer import import_model
from compiler.request import make_request
from compiler.session.context import make_context
from compiler.text import attach_weights, read_module
from emu.arch.read import load_arch
from emu.asm.assembler import check_program_set, read_program_set
from emu.asm.disassembler import disassemble
from emu.asm.set_printer import print_program
from emu.core.engines.core import Core
from emu.errors import InputError
from emu.files import open_file
from emu.image.manifest import Manifest, ReadOnlySpec
from emu.image.npz import read_npy, write_npz
from emu.image.reader import Image, open_image, read_manifest
from emu.image.seal import seal
from emu.image.writer import ImageWriter
from emu.interop.pim_isa.timing.time_program import time_program
from emu.isa.dtypes import DType
from emu.noc.traffic.traffic import event_sources, peers_of, traffic
from launch.golden.fitting import model_digest
from launch.golden.values import read_golden
from launch.info.summary import summarise
from launch.samples.binding import LENGTH, MAGIC, Binding, StoredTensor, checksum_of, read_header
from launch.samples.inputs import load_inputs, load_labels

ROOT = Path(__file__).resolve().parents[2]
# Of the number of files, against 1 for the others.
WEIGHTS = {
    **{"large assembly": 0.05, "whole image": 0.5, "sealed image": 0.1, "text of a stage": 0.3},
    **{"networks": 0.5, "compiled networks": 0.1, "bombs": 0.02},
}
BINDING = Binding("image", "inputs", "batch", 2, (StoredTensor("output a", "a", "<f4", (1, 3)),))
ZEROS = 1 << 24  # elements of an array that nobody asks for


@dataclass(frozen=True)
class Target:
    """A loader: the file that is damaged, how, and what reads it."""

    path: Path
    content: bytes
    mutators: tuple
    load: Callable[[], object]

    def damage(self, rng: random.Random) -> None:
        """Put other content in the place of the file."""
        self.path.write_bytes(mutate(rng, self.content, self.mutators))

    def restore(self) -> None:
        """Put the sound file there again."""
        if self.path.is_symlink() or not self.path.is_file():
            shutil.rmtree(self.path) if self.path.is_dir() and not self.path.is_symlink() else self.path.unlink(
                missing_ok=True
            )
        self.path.write_bytes(self.content)


class StrangeTarget(Target):
    """What stands there is no regular file, or leads to none."""

    def damage(self, rng: random.Random) -> None:
        self.path.unlink()
        kind = rng.choice(("fifo", "directory", "zero", "full", "null", "fifo link", "circle", "nothing", "proc"))
        leads_to = {"zero": "/dev/zero", "full": "/dev/full", "null": "/dev/null", "proc": "/proc/self/pagemap"}
        if kind == "fifo":
            os.mkfifo(self.path)
        elif kind == "directory":
            self.path.mkdir()
        elif kind == "circle":
            self.path.symlink_to(self.path.name)
        elif kind == "fifo link":
            other = self.path.with_name("the.fifo")
            other.exists() or os.mkfifo(other)
            self.path.symlink_to(other)
        elif kind != "nothing":
            self.path.symlink_to(leads_to[kind])


class SealedTarget(Target):
    """The header of a side file: damaged text with a right length and checksum."""

    def damage(self, rng: random.Random) -> None:
        text = mutate(rng, self.content[len(MAGIC) + LENGTH.size : -16], self.mutators)
        self.path.write_bytes(MAGIC + LENGTH.pack(len(text)) + text + checksum_of(text))


class BombTarget(Target):
    """The arrays that are asked for, and beside them or in their place one of 64 MiB."""

    def damage(self, rng: random.Random) -> None:
        arrays = {"in0": np.ones((2, 1, 1, 8, 8), "<f4"), "labels": np.array([1, 2])}
        name = rng.choice(("spare", "spare", "in0", "labels"))
        arrays.pop(name, None)
        npz_with_bomb(self.path, arrays, name, (ZEROS,))


def make_targets(directory: Path, image: Path) -> dict[str, list[Target]]:
    """Targets by name, on a copy of `image` (a compiled network with array groups) in `directory`."""
    out = Path(shutil.copytree(image, directory / "image"))
    whole = open_image(out)
    cores = [core for core in whole.cores if whole.program(core).groups]
    specs = whole.manifest.inputs
    (directory / "all.asm").write_text(disassemble(out))
    (directory / "small.asm").write_text(_example())
    shape = (2, *specs[0].shape)
    write_npz(directory / "in.npz", {specs[0].name: np.ones(shape, "<f4"), "labels": np.arange(2)})
    np.savez_compressed(directory / "packed.npz", **{specs[0].name: np.ones(shape, "<f4"), "labels": np.arange(2)})
    shutil.copy(directory / "in.npz", directory / "bomb.npz")
    np.save(directory / "one.npy", np.arange(12).reshape(3, 4))
    (directory / "x.npz.partial").write_bytes(BINDING.encode())
    toml = [ROOT / "emu" / "arch" / "presets" / f"{name}.toml" for name in ("default", "isaac", "tiny")]
    for path in toml:
        shutil.copy(path, directory)
    files = {files.core: files for files in whole.manifest.cores}
    archives = [directory / name for name in ("in.npz", "packed.npz")]
    shared = _read_only_image(directory / "shared")
    targets = {
        "manifest": [_target(out / "manifest.json", JSON, lambda: _everything(out, cores[:1]))],
        "program": [_target(out / files[c].program, MSGPACK, lambda c=c: _core(whole, c)) for c in cores[:3]],
        "crossbars": [_target(out / files[c].xbar, BINARY, lambda c=c: _core(whole, c)) for c in cores[:3]],
        "read-only": [
            _target(shared / "w.npy", TEXT, lambda: _everything(shared, [0])),
            _target(shared / "manifest.json", JSON, lambda: _everything(shared, [0])),
        ],
        "npz": [_target(path, BINARY, lambda path=path: _arrays(path, specs)) for path in archives],
        "npy": [_target(directory / "one.npy", TEXT, lambda: read_npy(directory / "one.npy"))],
        "side file": [_target(directory / "x.npz.partial", JSON, lambda: _header(directory), SealedTarget)],
        "toml": [
            _target(directory / path.name, TEXT, lambda path=path: load_arch(str(directory / path.name)))
            for path in toml
        ],
        "assembly": [_target(directory / "small.asm", TEXT, lambda: _assembly(directory / "small.asm"))],
        "large assembly": [_target(directory / "all.asm", TEXT, lambda: _assembly(directory / "all.asm"))],
        "whole image": [
            _target(path, BINARY, lambda: open_image(out)) for path in sorted(out.iterdir()) if path.stat().st_size
        ],
        "sealed image": [
            _target(path, BINARY, lambda: _sealed(out))
            for path in sorted(out.iterdir())
            if path.suffix in (".npz", ".prog")
        ],
        "bombs": [_target(directory / "bomb.npz", BINARY, lambda: _arrays(directory / "bomb.npz", specs), BombTarget)],
        **_networks(directory),
        "foreign programs": _foreign(directory / "foreign"),
    }
    return targets | {"strange files": [_strange(target) for name in targets for target in targets[name][:2]]}


def _target(path: Path, mutators: tuple, load: Callable[[], object], kind: type[Target] = Target) -> Target:
    return kind(path, path.read_bytes(), mutators, load)


def _strange(target: Target) -> Target:
    return StrangeTarget(target.path, target.content, target.mutators, target.load)


def _networks(directory: Path) -> dict[str, list[Target]]:
    """ONNX files, one with its weights beside it, and the text of a stage."""
    shutil.copy(ROOT / "examples" / "digits_cnn.onnx", directory / "digits.onnx")
    apart = one_node("Gemm", (1, 64), random_array(64, 32), random_array(32))
    onnx.save(apart, directory / "apart.onnx", save_as_external_data=True, location="apart.bin", size_threshold=0)
    paths = [directory / name for name in ("digits.onnx", "apart.onnx")]
    arch = load_arch("tiny")
    request = make_request(paths[0], arch, cores=64, until="spat")
    lower(replace(request, dump=directory), make_context(arch, request.options))
    text = max(directory.glob("*.mlir")).rename(directory / "spat.mlir")
    return {
        "networks": [_target(path, BINARY, lambda path=path: _network(path)) for path in paths],
        "compiled networks": [
            _target(
                path,
                BINARY,
                lambda path=path: lower(make_request(path, arch, cores=64), make_context(arch, request.options)),
            )
            for path in paths
        ],
        "text of a stage": [
            _target(text, TEXT, lambda: _text(text)),
            _target(directory / "weights.npz", BINARY, lambda: _text(text)),
        ],
    }


def _foreign(directory: Path) -> list[Target]:
    """A program of pimsim-nn in all its forms, and the configuration that it is timed on."""
    shutil.copytree(ROOT / "examples" / "pimsim", directory)
    program, config = directory / "two_cores.json", directory / "latency_config.json"
    packed, cores = directory / "two_cores.json.gz", directory / "cores"
    packed.write_bytes(gzip.compress(program.read_bytes(), mtime=0))
    parts = json.loads(program.read_text())
    cores.mkdir()
    (cores / "config.json").write_text(json.dumps(parts["config"]))
    (cores / "core_0.pim").write_bytes(binary(parts["core0"]))
    (cores / "core_1.json").write_text(json.dumps(parts["core1"]))
    kinds = ((packed, BINARY), (program, JSON), (config, JSON), (directory / "network.json", JSON))
    in_cores = ((cores / "config.json", JSON), (cores / "core_0.pim", BINARY), (cores / "core_1.json", JSON))
    return [
        *(
            _target(path, how, lambda path=path: time_program(packed if path == packed else program, config))
            for path, how in kinds
        ),
        *(_target(path, how, lambda: time_program(cores, config)) for path, how in in_cores),
    ]


def _example() -> str:
    """The second program set of the documentation: weights, data, messages."""
    return re.findall(r"```asm\n(.*?)```", (ROOT / "docs" / "assembly.md").read_text(), re.DOTALL)[1]


def _read_only_image(out: Path) -> Path:
    """An image whose program reads a tensor that exists once per power-on."""
    spec = ReadOnlySpec("w", DType.f32, (3, 4), 16, "w.npy")
    with ImageWriter(out) as writer:
        writer.add_core(stepper_program(0, ("ld", 0, 16, 48), ("st", 64, 0, 8)), [])
        writer.add_read_only(spec, np.ones((3, 4), np.float32))
        writer.finish(Manifest(ARCH, (), (byte_tensor("x", 16, 0),), (byte_tensor("y", 8, 64),), 128))
    return out


def _everything(out: Path, cores: list[int]) -> None:
    """What a launch reads of an image whose digests nobody compares."""
    image = Image(out, read_manifest(out))
    image.default_inputs()
    image.golden()
    list(image.read_only())
    for core in [core for core in image.cores if core in cores]:
        _core(image, core)


def _core(image: Image, core: int) -> None:
    fresh = Image(image.path, image.manifest)
    program = fresh.program(core)
    Core(program, fresh.arch, fresh.weights(core))
    peers_of(program)
    traffic({core: program})
    event_sources({core: program})(0, 0)
    print_program(program)  # as `emu export --to asm` does
    summarise(fresh.manifest, {core: program}).to_dict()  # as `emu info` does


def _sealed(out: Path) -> None:
    """What `emu import --seal` accepts can be read."""
    before = (out / "manifest.json").read_bytes()
    try:
        seal(out)
        _everything(out, open_image(out).cores)
    finally:
        (out / "manifest.json").write_bytes(before)


def _arrays(path: Path, specs: tuple) -> None:
    load_inputs(path, specs)
    load_labels(path, "labels", 2)
    read_golden(path, specs)


def _header(directory: Path) -> None:
    with open_file(directory / "x.npz.partial") as file:
        record = read_header(file.fileno())
    if record is None or BINDING.difference(record):
        raise InputError("another run")


def _network(path: Path) -> None:
    model_digest(path)
    import_model(path, make_context())


def _text(path: Path) -> None:
    context = make_context()
    attach_weights(read_module(path, context), context)


def _assembly(path: Path) -> None:
    check_program_set(read_program_set(path), str(path))

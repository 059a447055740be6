"""The loaders under damaged files: one sentence or success, in time, within memory, without side effects.

`make fuzz` feeds 100,000 damaged files to all loaders and counts.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from mutations import BINARY, JSON, MSGPACK, TEXT, mutate

from emu.arch_file import load_arch
from emu.asm.assembler import check_program_set, read_program_set
from emu.asm.disassembler import disassemble
from emu.asm.set_printer import print_program
from emu.core.core import Core
from emu.errors import InputError
from emu.image.npz import read_npy, write_npz
from emu.image.reader import Image, open_image, read_manifest
from emu.noc.traffic import event_sources, peers_of, traffic
from launch.samples import load_inputs
from launch.summary import summarise

ROOT = Path(__file__).resolve().parents[2]
HANG = 10  # seconds for one file
HEADROOM = 1 << 30  # bytes of address space beyond what is in use
FORBIDDEN = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.", "pickle.", "ctypes.")
READABLE = (str(ROOT), sys.prefix, sys.base_prefix)  # for imports and presets
CHANGING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.")


@dataclass(frozen=True)
class Target:
    """A loader: the file that is damaged, how, and what reads it."""

    path: Path
    content: bytes
    mutators: tuple
    load: Callable[[], object]


@dataclass
class Tally:
    accepted: int = 0
    refused: int = 0
    slowest: float = 0.0
    sentences: Counter = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


class Guard:
    """Notes what must not happen while a file is loaded; audit hooks stay for the life of the process."""

    def __init__(self, directory: Path) -> None:
        self.active, self.seen, self._inside = False, [], str(directory)
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple) -> None:
        if not self.active:
            return
        outside = event.startswith(CHANGING) and not str(arguments[0]).startswith(self._inside)
        if event == "open" and isinstance(arguments[0], str | bytes | Path):
            writes = isinstance(arguments[1], str) and bool(set(arguments[1]) & set("wax+"))
            outside = not os.fsdecode(arguments[0]).startswith(self._inside if writes else (self._inside, *READABLE))
        if outside or event.startswith(FORBIDDEN):
            self.seen.append(f"{event}{arguments!r:.200}")


def make_targets(directory: Path, image: Path) -> dict[str, list[Target]]:
    """Targets by name, on a copy of `image` (a compiled network with array groups) in `directory`."""
    out = Path(shutil.copytree(image, directory / "image"))
    whole = open_image(out)
    cores = [core for core in whole.cores if whole.program(core).groups]
    specs = whole.manifest.inputs
    (directory / "all.asm").write_text(disassemble(out))
    (directory / "small.asm").write_text(_example())
    shape = (2, *specs[0].shape)
    write_npz(directory / "in.npz", {specs[0].name: np.ones(shape, "<f4"), "b": np.arange(3)})
    np.savez_compressed(directory / "packed.npz", **{specs[0].name: np.ones(shape, "<f4"), "b": np.arange(3)})
    np.save(directory / "one.npy", np.arange(12).reshape(3, 4))
    toml = [ROOT / "emu" / "presets" / f"{name}.toml" for name in ("default", "tiny")]
    for path in toml:
        shutil.copy(path, directory)

    def target(path: Path, mutators: tuple, load: Callable[[], object]) -> Target:
        return Target(path, path.read_bytes(), mutators, load)

    files = {files.core: files for files in whole.manifest.cores}
    return {
        "manifest": [target(out / "manifest.json", JSON, lambda: _everything(out, cores[:1]))],
        "program": [target(out / files[c].program, MSGPACK, lambda c=c: _core(whole, c)) for c in cores[:3]],
        "crossbars": [target(out / files[c].xbar, BINARY, lambda c=c: _core(whole, c)) for c in cores[:3]],
        "npz": [
            target(directory / name, BINARY, lambda name=name: load_inputs(directory / name, specs))
            for name in ("in.npz", "packed.npz")
        ],
        "npy": [target(directory / "one.npy", TEXT, lambda: read_npy(directory / "one.npy"))],
        "toml": [
            target(directory / path.name, TEXT, lambda path=path: load_arch(str(directory / path.name)))
            for path in toml
        ],
        "assembly": [target(directory / "small.asm", TEXT, lambda: _assembly(directory / "small.asm"))],
        "large assembly": [target(directory / "all.asm", TEXT, lambda: _assembly(directory / "all.asm"))],
        "whole image": [
            target(path, BINARY, lambda: open_image(out)) for path in sorted(out.iterdir()) if path.stat().st_size
        ],
    }


def _example() -> str:
    """The second program set of the documentation: weights, data, messages."""
    return re.findall(r"```asm\n(.*?)```", (ROOT / "docs" / "assembly.md").read_text(), re.DOTALL)[1]


WEIGHTS = {"large assembly": 0.05, "whole image": 0.5}  # of the number of files, against 1 for the others


def _everything(out: Path, cores: list[int]) -> None:
    """What a launch reads of an image whose digests nobody compares."""
    image = Image(out, read_manifest(out))
    image.default_inputs()
    image.golden()
    for core in [core for core in image.cores if core in cores]:
        _core(image, core)


def _core(image: Image, core: int) -> None:
    fresh = Image(image.path, image.manifest)
    program = fresh.program(core)
    Core(program, fresh.arch, fresh.weights(core))
    peers_of(program)
    traffic({core: program})
    event_sources({core: program})(0, 0)
    print_program(program)  # as `emu disasm` does
    summarise(fresh.manifest, {core: program})  # as `emu info` does


def _assembly(path: Path) -> None:
    check_program_set(read_program_set(path), str(path))


def attack(name: str, targets: list[Target], seed: int, count: int, guard: Guard) -> Tally:
    """Load `count` damaged files; each depends on (name, seed, its number) only."""
    tally = Tally()
    for target in targets:
        target.load()  # undamaged
    signal.signal(signal.SIGALRM, _hangs)
    for number in range(count):
        rng = random.Random(f"{name} {seed} {number}")
        target = rng.choice(targets)
        target.path.write_bytes(mutate(rng, target.content, target.mutators))
        complaint = _one(target, tally, guard)
        if complaint:
            tally.failures.append(f"{name}, seed {seed}, number {number}, {target.path.name}: {complaint}")
        target.path.write_bytes(target.content)
    return tally


def _hangs(*_: object) -> None:
    raise TimeoutError(f"not done after {HANG} s")


def _one(target: Target, tally: Tally, guard: Guard) -> str:
    """Load one file; what is wrong with how that went, or nothing."""
    began, complaint = time.perf_counter(), ""
    signal.alarm(HANG)
    guard.active = True
    try:
        target.load()
        tally.accepted += 1
    except InputError as error:
        tally.refused += 1
        tally.sentences[type(error).__name__] += 1
        text = str(error)
        if "\n" in text or not text or len(text) > 1000 or error.exit_code != 2:
            complaint = f"no short sentence: {text[:300]!r}"
    except BaseException:
        complaint = traceback.format_exc()
    finally:
        guard.active = False
        signal.alarm(0)
    tally.slowest = max(tally.slowest, time.perf_counter() - began)
    if guard.seen:
        complaint += f" did {guard.seen}"
        guard.seen.clear()
    return complaint


def limit_memory() -> None:
    """From now on this process may map at most `HEADROOM` more bytes."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + HEADROOM, resource.getrlimit(resource.RLIMIT_AS)[1]))


def campaign(directory: Path, image: Path, seed: int, count: int, guard: Guard) -> dict[str, Tally]:
    """About `count` damaged files in all, shared out among the loaders."""
    targets = make_targets(directory, image)
    total = sum(WEIGHTS.get(name, 1) for name in targets)
    shares = {name: max(1, round(count * WEIGHTS.get(name, 1) / total)) for name in targets}
    return {name: attack(name, list(files), seed, shares[name], guard) for name, files in targets.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="emu-fuzz-") as directory:
        image = compiled_image(Path(directory) / "compiled")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        limit_memory()
        tallies = campaign(Path(directory), image, options.seed, options.count, Guard(Path(directory)))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    rows = {
        name: (t.accepted + t.refused + len(t.failures), t.accepted, t.refused, len(t.failures))
        for name, t in tallies.items()
    }
    print(f"{'loader':16}{'files':>9}{'accepted':>10}{'refused':>9}{'failed':>8}{'slowest s':>11}")
    for name, row in [*rows.items(), ("all", tuple(map(sum, zip(*rows.values(), strict=True))))]:
        slowest = max(t.slowest for n, t in tallies.items() if name in (n, "all"))
        print(f"{name:16}{row[0]:9}{row[1]:10}{row[2]:9}{row[3]:8}{slowest:11.3f}")
    print(f"resident memory grew by {grown / 1024:.0f} MB")
    failures = [text for tally in tallies.values() for text in tally.failures]
    for text in failures[:20]:
        print(text)
    return bool(failures)


def compiled_image(out: Path) -> Path:
    """The example network for small crossbars: programs with array groups."""
    import compiler
    from launch.attach import AttachGolden

    model = ROOT / "examples" / "digits_cnn.onnx"
    compiler.compile(model, arch="tiny", cores=64, out=out, finish=AttachGolden(model))
    return out


if __name__ == "__main__":
    sys.exit(main())

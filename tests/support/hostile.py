"""The loaders under damaged files: one sentence or success, in time, within memory, without side effects.

`make fuzz` feeds 100,000 damaged files to all loaders and counts.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from hostile_imports import import_targets
from hostile_targets import ROOT, WEIGHTS, Target, make_targets

from emu.errors import InputError

HANG = 10  # seconds for one file
MEMORY = 200 << 20  # bytes that one file may take more than all before it
HEADROOM = 1 << 30  # bytes of address space beyond what is in use
FORBIDDEN = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.", "pickle.", "ctypes.")
READABLE = (str(ROOT), sys.prefix, sys.base_prefix)  # for imports and presets
CHANGING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.")


class Hang(BaseException):
    """A loader takes too long; no Exception, which a loader might turn into a sentence."""


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
        self.active, self.seen, self.inside = False, [], str(directory)
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple) -> None:
        if not self.active:
            return
        outside = event.startswith(CHANGING) and not _place(event, arguments).startswith(self.inside)
        if event == "open" and isinstance(arguments[0], str | bytes | Path):
            writes = isinstance(arguments[1], str) and bool(set(arguments[1]) & set("wax+"))
            outside = not os.fsdecode(arguments[0]).startswith(self.inside if writes else (self.inside, *READABLE))
        if outside or event.startswith(FORBIDDEN):
            self.seen.append(f"{event}{arguments!r:.200}")


def _place(event: str, arguments: tuple) -> str:
    """The path that an event changes; one below an open directory is made whole."""
    if event in ("os.remove", "os.rmdir") and arguments[1] >= 0:
        return str(Path(f"/proc/self/fd/{arguments[1]}").readlink() / str(arguments[0]))
    return str(arguments[0])


def attack(name: str, targets: list[Target], seed: int, count: int, guard: Guard) -> Tally:
    """Load `count` damaged files; each depends on (name, seed, its number) only."""
    tally = Tally()
    loaded: list[Target] = []
    signal.signal(signal.SIGALRM, _hangs)
    for number in range(count):
        rng = random.Random(f"{name} {seed} {number}")
        target = rng.choice(targets)
        if target not in loaded:
            target.load()  # undamaged
            loaded.append(target)
        target.damage(rng)
        complaint = _one(target, tally, guard)
        if complaint:
            tally.failures.append(f"{name}, seed {seed}, number {number}, {target.path.name}: {complaint}")
        target.restore()
    return tally


def _hangs(*_: object) -> None:
    raise Hang(f"not done after {HANG} s")


def _one(target: Target, tally: Tally, guard: Guard) -> str:
    """Load one file; what is wrong with how that went, or nothing."""
    began, complaint, before = time.perf_counter(), "", peak()
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
    if peak() > before + MEMORY:
        complaint += f" took {(peak() - before) >> 20} MiB"
    if guard.seen:
        complaint += f" did {guard.seen}"
        guard.seen.clear()
    return complaint


def peak() -> int:
    """The most bytes that were resident at a time."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def limit_memory() -> None:
    """From now on this process may map at most `HEADROOM` more bytes."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + HEADROOM, resource.getrlimit(resource.RLIMIT_AS)[1]))


def campaign(directory: Path, image: Path, seed: int, count: int, guard: Guard) -> dict[str, Tally]:
    """About `count` damaged files in all, shared out among the loaders."""
    targets = make_targets(directory, image) | {"imports": import_targets(directory / "imports")}
    total = sum(WEIGHTS.get(name, 1) for name in targets)
    shares = {name: max(4, round(count * WEIGHTS.get(name, 1) / total)) for name in targets}
    return {name: attack(name, list(files), seed, shares[name], guard) for name, files in targets.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="emu-fuzz-") as directory:
        image = compiled_image(Path(directory) / "compiled")
        before = peak()
        limit_memory()
        tallies = campaign(Path(directory), image, options.seed, options.count, Guard(Path(directory)))
        grown = peak() - before
    rows = {
        name: (t.accepted + t.refused + len(t.failures), t.accepted, t.refused, len(t.failures))
        for name, t in tallies.items()
    }
    print(f"{'loader':16}{'files':>9}{'accepted':>10}{'refused':>9}{'failed':>8}{'slowest s':>11}")
    for name, row in [*rows.items(), ("all", tuple(map(sum, zip(*rows.values(), strict=True))))]:
        slowest = max(t.slowest for n, t in tallies.items() if name in (n, "all"))
        print(f"{name:16}{row[0]:9}{row[1]:10}{row[2]:9}{row[3]:8}{slowest:11.3f}")
    print(f"resident memory grew by {grown / 1e6:.0f} MB")
    failures = [text for tally in tallies.values() for text in tally.failures]
    for text in failures[:20]:
        print(text)
    return bool(failures)


def compiled_image(out: Path) -> Path:
    """The example network for small crossbars: programs with array groups."""
    import compiler
    from launch.golden.attach import AttachGolden

    model = ROOT / "examples" / "digits_cnn.onnx"
    compiler.compile(model, arch="tiny", cores=64, out=out, finish=AttachGolden(model))
    return out


if __name__ == "__main__":
    sys.exit(main())

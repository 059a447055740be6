"""Rows about several machines, with agents on this one, against what their links can do at best."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from emu.image.manifest import FileDigest
from launch.bench.baselines.raw_stream import PIECE, raw_stream
from launch.bench.clock import interleaved, seconds
from launch.bench.measurement import RowMeasurement
from launch.bench.workshop import Workshop
from launch.machines.content.delivery import deliver_files
from launch.machines.content.parts import ImageFile
from launch.machines.hosts.hosts import Hosts

FILES = 5  # of each agent
JOINING = 120.0  # seconds


def image_transfer(work: Workshop, agents: int, megabytes: int) -> RowMeasurement:
    """Bandwidth of files to agents that take, verify and keep them, each its own part."""
    numbers = iter(range(work.settings.few))
    folder = work.folder / "image-transfer"
    size = max(1, megabytes * 1_000_000 // (agents * FILES))
    with _cache_in(folder / "cache"), Hosts(f"local:{agents}", JOINING) as hosts:
        hosts.gather()

        def ours() -> float:
            number = next(numbers)
            files = [_random_files(folder, f"{number}-{agent.name}", size) for agent in hosts.agents]
            wanted = list(zip(hosts.agents, files, strict=True))
            return seconds(lambda: deliver_files(folder, wanted, hosts.pump))

        taken, bare = interleaved(ours, lambda: raw_stream(agents, max(agents, megabytes)), work.settings.few)
    moved = size * agents * FILES / 1e6
    return RowMeasurement(
        ours=moved / taken,
        baseline=max(agents, megabytes) * PIECE / 1e6 / bare,
        unit="MB/s",
        against="pyzmq with CURVE over loopback, messages that nobody keeps",
        note=f"{agents} agents, {FILES} files each, hashed and written; medians of {work.settings.few} in turns",
    )


def _random_files(folder: Path, name: str, size: int) -> list[ImageFile]:
    files: list[ImageFile] = []
    for number in range(FILES):
        content = os.urandom(size)
        (folder / f"{name}-{number}").write_bytes(content)
        files.append(ImageFile(f"{name}-{number}", FileDigest(hashlib.sha256(content).hexdigest(), size)))
    return files


@contextmanager
def _cache_in(folder: Path) -> Generator[None, None, None]:
    """Agents that are started inside of it keep files there."""
    before = os.environ.get("XDG_CACHE_HOME")
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = str(folder)
    try:
        yield
    finally:
        del os.environ["XDG_CACHE_HOME"]
        if before is not None:
            os.environ["XDG_CACHE_HOME"] = before

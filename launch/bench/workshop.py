"""Models and images that rows share, made once per run of the benchmark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from launch.bench.command import run_emu
from launch.bench.probe import probe

QUICK_RUNS = 3


@dataclass(frozen=True, slots=True)
class Settings:
    """`runs` of each side of a pair that is measured in turns; `quick` takes fewer and smaller ones everywhere."""

    runs: int = 15
    quick: bool = False

    @property
    def pairs(self) -> int:
        """Pairs of short measurements."""
        return min(self.runs, QUICK_RUNS) if self.quick else self.runs

    @property
    def few(self) -> int:
        """Pairs of measurements that take seconds."""
        return 1 if self.quick else max(1, min(self.runs, self.runs // 3))


class Workshop:
    """A folder of ONNX files and compiled images, and results that several rows read."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings
        self._known: dict[str, Any] = {}

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """What `make` returns, called for the first row that asks."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def model(self, network: str) -> Path:
        """The ONNX file of a network: of the zoo, or `chain-DEPTH-CHANNELS-SIZE`."""
        path = self.folder / f"{network}.onnx"
        if not path.exists():
            kind, *sizes = network.split("-")
            if kind == "chain":
                depth, channels, size = map(int, sizes)
                probe("launch.bench.chain:write_chain", path=path, depth=depth, channels=channels, size=size)
            else:
                run_emu("zoo", network, "-o", path)
        return path

    def image(self, network: str, cores: int, arch: str = "default") -> Path:
        """The network compiled for `cores` cores, with stored inputs and golden values."""
        name = f"{network}-{Path(arch).stem}-{cores}"
        model, out = self.model(network), self.folder / name
        self.once(name, lambda: run_emu("compile", model, "-o", out, "--cores", cores, "--arch", arch))
        return out


def stored_inputs(image: Path) -> dict[str, np.ndarray]:
    """The first stored sample of an image."""
    from emu.image.reader import open_image

    stored = open_image(image, verify=False).default_inputs() or {}
    return {name: array[0] for name, array in stored.items()}

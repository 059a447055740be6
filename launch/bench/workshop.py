"""Models and images that rows share, made once per run of the benchmark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from emu.wording import nearest
from launch.bench.chain import write_chain
from launch.bench.command import run_emu
from launch.bench.int8 import write_quantised
from launch.bench.probe import BenchError, probe

QUICK_RUNS = 3


@dataclass(frozen=True, slots=True)
class BenchSettings:
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


def is_file(network: str) -> bool:
    """Whether a network is given as a file, not by name."""
    return network.endswith(".onnx") or "/" in network


def check_network(network: str) -> None:
    """Raise BenchError unless `network` is a file that is there, or a built-in network."""
    from launch.zoo import NAMES

    if is_file(network):
        if not Path(network).is_file():
            raise BenchError(f"{network}: there is no such file")
    elif network not in NAMES:
        raise BenchError(
            f"{network!r} is no built-in network{nearest(network, NAMES)}: give one of `emu export --list`, or an ONNX"
            " file as name.onnx"
        )


class Workshop:
    """A folder of ONNX files and compiled images, and results that several rows read."""

    def __init__(self, folder: Path, settings: BenchSettings) -> None:
        self.folder, self.settings = folder, settings
        self._known: dict[str, Any] = {}

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """What `make` returns, called for the first row that asks."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def model(self, network: str) -> Path:
        """The ONNX file of a network: a file, one of the zoo, `NAME@FORM` quantised, or `chain-DEPTH-CHANNELS-SIZE`.

        Raises BenchError for a name that is none of them.
        """
        if is_file(network):
            return Path(network).resolve()
        path = self.folder / f"{network}.onnx"
        if not path.exists():
            name, _, form = network.partition("@")
            kind, *sizes = name.split("-")
            if form:
                probe(write_quantised, source=str(self.model(name)), path=str(path), form=form)
            elif kind == "chain":
                depth, channels, size = map(int, sizes)
                probe(write_chain, path=path, depth=depth, channels=channels, size=size)
            else:
                check_network(network)
                run_emu("export", network, "-o", path)
        return path

    def image(self, network: str, cores: int, arch: str = "default", *options: str) -> Path:
        """The network compiled for `cores` cores, with these further options, stored inputs and golden values."""
        model = self.model(network)
        unique = f"{model.stem}-{crc32(str(model).encode()):08x}" if is_file(network) else network
        name = "-".join([unique, Path(arch).stem, str(cores), *(option.strip("-") for option in options)])
        out = self.folder / name
        self.once(name, lambda: run_emu("compile", model, "-o", out, "--cores", cores, "--arch", arch, *options))
        return out


def stored_inputs(image: Path) -> dict[str, np.ndarray]:
    """The first stored sample of an image."""
    from emu.image.reader import open_image

    stored = open_image(image, verify=False).default_inputs() or {}
    return {name: array[0] for name, array in stored.items()}

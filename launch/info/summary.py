"""The summary of an image: facts of its manifest, and the census of its programs, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.census.census import Census, CoreCensus, Share, census_of, share_of
from emu.census.counts import NUMBERS, InstructionCounts, summed
from emu.census.instructions import by_count
from emu.census.nodes import NO_NODE
from emu.image.manifest import Manifest, TensorSpec
from emu.image.reader import Image, open_image
from emu.image.segments import core_images
from emu.program.group import holding_crossbars
from emu.program.program import Program
from launch.images.chips import chip_values

if TYPE_CHECKING:
    from launch.timing.wear import Wear


@dataclass(frozen=True, eq=False)
class Summary:
    """An image; `path` is its folder, `wear` that of the crossbars that are written in a sample, if there are any."""

    manifest: Manifest
    census: Census
    path: Path = Path()
    wear: Wear | None = None

    @property
    def nodes(self) -> Mapping[str, Sequence[Share]]:
        """The shares of the cores in each node; what belongs to none, if it takes something, is one, too."""
        found = self.census.by_node()
        return {
            node: shares
            for node, shares in found.items()
            if node != NO_NODE or any(share.memory or share.counts.messages for share in shares)
        }

    @property
    def cores(self) -> Sequence[CoreCensus]:
        """Those that have a program, in order."""
        return list(self.census.cores.values())

    @property
    def global_bytes(self) -> int:
        """Of global memory, per sample."""
        return self.manifest.global_size - sum(spec.nbytes for spec in self.manifest.read_only)

    def crossbars_of(self, shares: Sequence[Share]) -> int:
        """Physical crossbars that hold what these multiply with."""
        return holding_crossbars(self.census.groups_of(shares), self.census.arch)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: shares are between 0 and 1, bytes and times those of a sample."""
        manifest, census, arch = self.manifest, self.census, self.manifest.arch
        return {
            "path": str(self.path),
            "model": manifest.model.name,
            "arch": arch.name,
            "inputs": [_tensor(spec) for spec in manifest.inputs],
            "outputs": [_tensor(spec) for spec in manifest.outputs],
            "read_only": [_tensor(spec) | {"bytes": spec.nbytes, "file": spec.file} for spec in manifest.read_only],
            "options": dict(manifest.options),
            "cores": [core_values(core) for core in self.cores],
            "nodes": self.node_values(),
            "total": total_values([census]),
            "wear": self.wear and self.wear.to_dict(),
            "crossbars": census.sum("crossbars"),
            "crossbar_share": census.crossbar_share,
            "cell_share": census.cell_share,
            "arch_cores": arch.all_cores,
            "core_crossbars": arch.core.crossbars,
            "core_memory": arch.core.local_memory,
            "global_bytes": self.global_bytes,
            "byte_hops": census.byte_hops,
            "chips": chip_values(census),
            "default_input": manifest.default_input,
            "golden": manifest.golden_source if manifest.golden else "",
            "warnings": list(manifest.warnings),
            "states": [asdict(state) for state in manifest.states],
        }

    def node_values(self) -> list[dict[str, Any]]:
        """Each node as plain values."""
        return [self._node(node, shares) for node, shares in self.nodes.items()]

    def _node(self, node: str, shares: Sequence[Share]) -> dict[str, Any]:
        counts = summed(share.counts for share in shares)
        return {
            "node": node,
            "cores": [share.core for share in shares],
            "crossbars": self.crossbars_of(shares),
            "memory": sum(share.memory for share in shares),
            "instructions": counts.written.total(),
            **_figures(counts),
        }


def core_values(core: CoreCensus) -> dict[str, Any]:
    """A core as plain values."""
    return {
        "core": core.core,
        "nodes": [share.node for share in core.shares if share.node != NO_NODE],
        "memory": core.memory,
        **_core_figures([core], core.counts),
    }


def total_values(parts: Sequence[Census]) -> dict[str, Any]:
    """All cores of all parts in one, as plain values."""
    cores = [core for census in parts for core in census.cores.values()]
    return _core_figures(cores, summed(census.total for census in parts))


def _core_figures(cores: Sequence[CoreCensus], counts: InstructionCounts) -> dict[str, Any]:
    """What adds up over cores; `instructions` are those of `init`, too."""
    names = ("instructions", "init", "crossbars", "weight_bytes", "weights", "cells")
    sums = {name: sum(getattr(core, name) for core in cores) for name in names}
    return sums | {"cell_share": share_of(sums["weights"], sums["cells"])} | _figures(counts)


def _figures(counts: InstructionCounts) -> dict[str, Any]:
    numbers = {_NAMES.get(name, name): getattr(counts, name) for name in NUMBERS}
    mixes = {name: by_count(getattr(counts, name)) for name in ("written", "unrolled")}
    return {"executed": counts.unrolled.total(), **mixes, **numbers}


_NAMES = {"sent": "message_bytes"}


def _tensor(spec: TensorSpec) -> dict[str, Any]:
    return {"name": spec.name, "dtype": spec.dtype.name, "shape": list(spec.shape)}


def summarise(manifest: Manifest, programs: Mapping[int, Program], path: Path = Path()) -> Summary:
    """Summary of validated programs, by core."""
    return Summary(manifest, census_of(programs, manifest.arch), path)


def read_summaries(path: Path) -> tuple[Image, list[Summary]]:
    """The image at `path`, and the summaries of its parts that run on cores (itself, if it has no segments).

    Raises InputError.
    """
    image = open_image(path)
    return image, [_summary(part) for part in core_images(image, verify=True)]


def _summary(image: Image) -> Summary:
    from launch.timing.wear import wear_in_stats

    programs = {core: image.program(core) for core in image.cores}
    found = summarise(image.manifest, programs, image.path)
    if not found.census.total.write_events:
        return found
    return Summary(found.manifest, found.census, found.path, wear_in_stats(image, programs))

"""Figures that a computation cannot do without: all that a chip lacks are named in one sentence."""

from __future__ import annotations

from collections.abc import Iterable

from emu.arch import Arch
from emu.arch.schema import figure
from emu.errors import ArchError


def missing(arch: Arch, keys: Iterable[str]) -> list[str]:
    """Those of `keys` that the chip does not have, in their order."""
    return [key for key in dict.fromkeys(keys) if figure(arch, key) is None]


def needed(arch: Arch, keys: Iterable[str], purpose: str) -> dict[str, float]:
    """The figures `keys` of a chip, in the units that their names say; raises ArchError that names all it lacks.

    `purpose` completes "for ...", such as "for the time of mvmul".
    """
    wanted = list(dict.fromkeys(keys))
    lacking = missing(arch, wanted)
    if lacking:
        them = "it" if len(lacking) == 1 else "them"
        raise ArchError(
            f"{arch.title} says nothing of {', '.join(lacking)}, needed {purpose}: add {them} to its description"
        )
    found = {key: figure(arch, key) for key in wanted}
    return {key: value for key, value in found.items() if value is not None}

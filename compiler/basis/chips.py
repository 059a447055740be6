"""So many chips of a description, whatever it says itself, and what a description is known by."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from emu.errors import InputError, option
from emu.wording import counted

if TYPE_CHECKING:  # whoever asks for the options' help needs none of it
    from emu.arch import Arch

ARCH = "architecture"  # its digest among the settings of a text; the manifest of an image has all of it
AUTO_CHIPS = "auto"  # as few as the network needs


def most_chips(arch: Arch) -> int:
    """How many chips of this kind there may be."""
    from emu.arch.chip import MAX_CORES
    from emu.arch.system import MAX_CHIPS

    return max(1, min(MAX_CHIPS, MAX_CORES // arch.cores))


def with_chips(arch: Arch, count: int) -> Arch:
    """The same with so many chips, connected as the description says; raises InputError if there may not be so many."""
    if not 1 <= count <= (most := most_chips(arch)):
        what = f"{counted(arch.cores, 'core')} each"
        raise InputError(f"{option('chips', count)}: there may be 1 to {counted(most, 'chip')} of {arch.title}, {what}")
    system = replace(arch.system, chips=count, width=min(arch.system.width, count))
    return replace(arch, system=system)


def digest_of(arch: Arch) -> str:
    """SHA-256 of all that a description says, hex."""
    return sha256(repr(arch).encode()).hexdigest()

"""Files that say what cells, wires and converters of a chip do: our tables, or parameters of other simulators."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from emu.arch.chip import Arch
from emu.arch.overlay import overlaid, overlaid_by
from emu.errors import ArchError
from emu.interop.aihwkit import is_aihwkit, tables_of_aihwkit
from emu.interop.crosssim import is_crosssim, tables_of_crosssim
from emu.isa.dtypes import DType

Tables = dict[str, dict[str, Any]]
READERS: tuple[tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any], str], Tables]], ...] = (
    (is_crosssim, tables_of_crosssim),
    (is_aihwkit, tables_of_aihwkit),
)


def with_physics(arch: Arch, text: str, file_name: str, weight_types: Collection[DType] = tuple(DType)) -> Arch:
    """The chip of an image with what a file says over it, as `emu.arch.overlay.overlaid`; JSON is of other simulators.

    Raises ArchError.
    """
    if not is_json(text):
        return overlaid(arch, text, file_name, weight_types)
    tables = tables_of_json(text, file_name)
    for key in ("adc_bits", "dac_bits"):  # what a simulator does not say is not there
        own = getattr(arch.crossbar, key)
        if own is not None and key not in tables["crossbar"]:
            raise ArchError(f"{file_name}: says nothing that is crossbar.{key}, but the chip has {own}: say the same")
    return overlaid_by(arch, tables, lambda table, key: f"{file_name}: ", file_name, weight_types)


def is_json(text: str) -> bool:
    """Whether a text is no TOML, but an object of JSON."""
    return text.lstrip().startswith("{")


def tables_of_json(text: str, file_name: str) -> Tables:
    """Parameters of another simulator as tables of a chip; raises ArchError."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArchError(f"{file_name}: not valid JSON: {error}") from None
    for is_of, read in READERS if isinstance(tree, dict) else ():
        if is_of(tree):
            return read(tree, file_name)
    raise ArchError(
        f"{file_name}: neither parameters of CrossSim (its keys core and xbar) nor of aihwkit (forward or noise_model)"
    )

"""The options of a run on cells, wires and converters: of `emu launch`, `emu validate`, and from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emu.errors import InputError, option
from emu.options import Texts, Whole, opt

OWN = "own"  # in place of a file: what the chip of the image says of itself
METHOD = "min-max"  # by which ranges are calibrated, if nobody chose
OF_PERCENTILE, PERCENTILE = "percentile", 99.9  # the method, and of it what nobody chose
KIND = "analog"  # of the crossbars of a chip that say so by themselves


@dataclass(frozen=True, kw_only=True)
class AnalogOptions:
    """What crossbars are made of, and on how many chips that are programmed anew a network runs.

    `analog` are TOML files of tables, or `own`; none of them: crossbars are as the image says, which are ideal ones.
    """

    analog: Sequence[str] = opt(
        (),
        Texts("FILE|own"),
        "Let cells, wires and converters give the products, as the tables of this TOML file describe them for the chip"
        " of the image, or as that describes its own (repeatable).",
    )
    analog_seed: int | None = opt(
        None,
        Whole(least=0),
        "Seed of all that is random in cells and readings (default: that of the description, or 0).",
        needs=("analog", "is of random numbers of cells"),
    )
    trials: int = opt(
        1,
        Whole(),
        "Run all samples on this many chips, each programmed anew: the verdict is of all.  [default: 1]",
        typed=None,
        needs=("analog", "programs cells anew"),
    )


def chosen_percentile(method: str, given: float | None) -> float:
    """So many percent of all currents are within; raises InputError where another method has been given some."""
    if given is not None and method != OF_PERCENTILE:
        raise InputError(
            f"{option('percentile', f'{given:g}')} is of another method than {method}: give"
            f" {option('method', OF_PERCENTILE)}, too"
        )
    return PERCENTILE if given is None else given

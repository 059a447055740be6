"""Checks that verifiers of several dialects share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import DenseArrayBase, StringAttr
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from compiler.basis.suggest import suggestion
from compiler.dialects import attributes as attr


def verify_channels(channels: DenseArrayBase, tiles: Sequence[SSAValue]) -> None:
    """Raise VerifyException unless `channels` has a half-open range per tile that is as wide as the tile."""
    bounds = attr.values(channels)
    widths = [high - low for low, high in zip(bounds[::2], bounds[1::2], strict=False)]
    wanted = [attr.shape_of(tile)[-1] for tile in tiles]
    if len(bounds) != 2 * len(wanted) or widths != wanted:
        raise VerifyException(f"channels must hold one range per tile, of {wanted} channels, not {list(bounds)}")


def verify_name(what: str, name: StringAttr, known: Iterable[str]) -> None:
    """Raise VerifyException, with advice, for a name that is not known."""
    if name.data not in known:
        raise VerifyException(f'{what} = "{name.data}" does not exist{suggestion(name.data, known)}')

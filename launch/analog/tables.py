"""Tables of the verdict on an analog run, for people: errors of kept tensors, and what layers clip."""

from __future__ import annotations

from collections.abc import Iterator

from emu.wording import visible
from launch.analog.errors import decibels
from launch.analog.layers import LayerCounts, number, values_of
from launch.analog.verdict import AnalogVerdict
from launch.text.answer import Table

SHOWN = 40  # layers in text; JSON has all


def analog_tables(verdict: AnalogVerdict) -> Iterator[Table]:
    """The tables that have rows."""
    if verdict.kept:
        rows = [
            (visible(error.node), visible(error.name), decibels(error.snr_db), f"{error.relative:.2g}")
            for error in verdict.kept
        ]
        columns = ("node", "tensor", "SNR", "relative error")
        yield Table("kept tensors beside golden ones, all trials", columns, rows, "llrr")
    layers = verdict.layers
    if layers:
        columns = ("layer", "groups", "products", "conversions", "clipped", "lowest", "highest")
        left = f", first {SHOWN} of {len(layers)}" if len(layers) > SHOWN else ""
        title = f"array groups by layer, {verdict.ran} samples{left}; currents of one whole cell"
        yield Table(title, columns, [_row(layer) for layer in layers[:SHOWN]], "lrrrrrr")


def _row(layer: LayerCounts) -> tuple[object, ...]:
    values = values_of(layer.counts)
    share, lowest, highest = (values[name] for name in ("clipped_share", "lowest", "highest"))
    return (
        visible(layer.node) or "?",
        layer.groups,
        int(number(layer.counts, "vectors")),
        int(number(layer.counts, "conversions")),
        "" if share is None else f"{100 * share:.3g} %",
        "" if lowest is None else f"{lowest:.4g}",
        "" if highest is None else f"{highest:.4g}",
    )

"""Tables of analog runs, for `emu launch` and the report: errors of tensors, and what converters of layers do."""

from __future__ import annotations

from collections.abc import Iterator

from launch.analog.energy import energy_table
from launch.analog.verdict import AnalogVerdict
from launch.text.answer import Table
from launch.text.columns import Column, listed

SHOWN = 40  # rows in text; JSON has all
CURRENTS = "currents in multiples of that of one cell of the highest conductance at the whole voltage"
TENSORS = (
    Column("name", "tensor"),
    Column("node", "node"),
    Column("snr_db", "SNR (dB)", "number", hint="golden squares over squares of differences"),
    Column("relative", "relative error", "number", hint="root of the mean squares"),
    Column("odd", "NaN or infinite", "count", if_any=True),
)
LAYERS = (
    Column("node", "node"),
    Column("vectors", "products", "count"),
    Column("conversions", "conversions", "count"),
    Column("clipped_share", "clipped", "share", hint="conversions of currents beyond the range"),
    Column("clipped_weights", "weights clipped", "count", if_any=True),
    Column("clipped_inputs", "inputs clipped", "count", if_any=True),
    Column("lowest", "lowest", "number", hint="current that was converted"),
    Column("highest", "highest", "number"),
    Column("codes", "codes", hint="how often codes were, from the lowest to the highest of the range"),
    Column("written", "cells written", "count", in_text=False),
    Column("verified", "pulses", "count", hint="that programming them took", in_text=False),
)


def analog_tables(verdict: AnalogVerdict) -> Iterator[Table]:
    """The tables that have rows."""
    if verdict.kept:
        rows = [error.to_dict() for error in verdict.kept]
        yield listed("kept tensors beside golden ones, all trials", TENSORS, rows, SHOWN)
    if verdict.groups:
        layers = [layer.to_dict() for layer in verdict.layers]
        if verdict.energy:
            yield energy_table(verdict.energy)
        yield listed(f"converters by layer, {verdict.ran} samples; {CURRENTS}", LAYERS, layers, SHOWN)

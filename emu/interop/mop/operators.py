"""All operators of flows: what they take, in which computing mode, and what they do. A new one is one row.

Kinds of operands: `source` and `destination` (memory, a crossbar's register; a source may be a named array), `memory`
(an address), `core`, `crossbar`, `row`, `length`, `matrix` (a named array), `number`, `element` (a type), `layer`,
`params`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

LAYERS = ("Conv", "Gemm")


@dataclass(frozen=True)
class OperatorSignature:
    """Names and kinds of the operands; the computing mode and the numbers that it is of, "" for all."""

    operands: Mapping[str, str]
    what: str
    mode: str = ""
    numbers: str = ""
    ours: bool = False  # not of CIM-MLC's grammar, which leaves the list of digital operators open
    crossbars: str = ""  # what it does with the crossbar of its first operand: `multiplies` or `writes`

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """Where operands of each kind stand, kinds that it has none of left out."""
        kinds = list(self.operands.values())
        return {kind: tuple([at for at, other in enumerate(kinds) if other == kind]) for kind in kinds}


_ONE = {"src": "source", "dst": "destination", "len": "length"}
_TWO = {"src1": "source", "src2": "source", "dst": "destination", "len": "length"}
_POOL = {"params": "params", "src": "memory", "dst": "memory"}

OPERATORS: Mapping[str, OperatorSignature] = {
    "cim.read_core": OperatorSignature(
        {"type": "layer", "params": "params", "core_addr": "core", "src": "memory", "dst": "memory"},
        "a core multiplies the windows of `src` with its weights",
        "cm",
    ),
    "cim.read_xb": OperatorSignature(
        {"xb_addr": "crossbar", "len": "length"},
        "`len` crossbars multiply their input registers with all their rows, into their output registers",
        "xbm",
        crossbars="multiplies",
    ),
    "cim.write_xb": OperatorSignature(
        {"xb_addr": "crossbar", "mat": "matrix"}, "a crossbar holds `mat` from now on", "xbm", crossbars="writes"
    ),
    "cim.read_row": OperatorSignature(
        {"row_addr": "row", "len": "length"},
        "a crossbar multiplies `len` elements of its input register with as many rows, into its output register",
        "wlm",
        crossbars="multiplies",
    ),
    "cim.write_row": OperatorSignature(
        {"row_addr": "row", "value": "matrix"}, "a row holds `value` from now on", "wlm", crossbars="writes"
    ),
    "Relu": OperatorSignature(_ONE, "dst = max(src, 0)"),
    "add": OperatorSignature(_TWO, "dst = src1 + src2"),
    "mov": OperatorSignature(_ONE, "dst = src"),
    "sub": OperatorSignature(_TWO, "dst = src1 - src2", ours=True),
    "mul": OperatorSignature(_TWO, "dst = src1 * src2", ours=True),
    "max": OperatorSignature(_TWO, "dst = the larger of src1 and src2", ours=True),
    "min": OperatorSignature(_TWO, "dst = the smaller of src1 and src2", ours=True),
    "div": OperatorSignature(_TWO, "dst = src1 / src2, of integers towards 0", ours=True),
    "fill": OperatorSignature(
        {"dst": "destination", "value": "number", "len": "length"}, "dst = value, as for padding", ours=True
    ),
    "clip": OperatorSignature(
        {"src": "source", "dst": "destination", "len": "length", "low": "number", "high": "number"},
        "dst = min(max(src, low), high)",
        ours=True,
    ),
    "cast": OperatorSignature(
        {"src": "source", "dst": "destination", "len": "length", "type": "element"},
        "dst = src in the integer type, modulo its size",
        numbers="int8",
        ours=True,
    ),
    "requantize": OperatorSignature(
        {
            **{"src": "source", "scale": "source", "dst": "destination", "len": "length"},
            **{"zero": "number", "type": "element"},
        },
        "dst = round_half_even(float32(src) * scale) + zero, saturated to the type",
        numbers="int8",
        ours=True,
    ),
    "MaxPool": OperatorSignature(_POOL, "dst = the largest element of each window of src", ours=True),
    "AveragePool": OperatorSignature(_POOL, "dst = the mean of each window of src", numbers="float32", ours=True),
}

# Parameters of windows, in the order in which they are written, with the kind of each.
PARAMS: Mapping[str, str] = {
    "weights": "matrix",
    "in": "sizes",
    "out": "sizes",
    "kernel": "sizes",
    "stride": "sizes",
    "dilation": "sizes",
    "pad": "sizes",
    "channels": "range",
    "filters": "range",
    "fill": "integer",
    "count_pads": "integer",
}

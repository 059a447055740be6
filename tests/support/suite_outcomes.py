"""What comes of the target set of ONNX's suite: the table that `emu conformance` must reach, and may only better."""

from __future__ import annotations

from collections.abc import Mapping

# Kind -> cases that pass on core processes, with onnx 1.23. None is hosted, refused, skipped or wrong; the others have
# no element to compare.
PASSED: Mapping[str, int] = {"node": 670, "simple": 5, "pytorch-converted": 81, "pytorch-operator": 29, "real": 9}
# Operators whose cases depend on no value that is there at run time only: a core stores what the compiler knows.
IDLE = frozenset(("Constant", "ConstantOfShape", "Range", "Shape", "Size"))
# Operator -> places of the inputs that are compiled in, because the machine must know them before a run: weights on
# crossbars with what belongs to them, and what decides shapes. All other inputs of all cases are live.
COMPILED_IN: Mapping[str, frozenset[int]] = {
    operator: frozenset(places)
    for operator, places in {
        "Conv": (1,),
        "ConvInteger": (1, 3),
        "ConvTranspose": (1,),
        "GRU": (1, 2, 3),
        "LSTM": (1, 2, 3, 7),
        "QLinearConv": (3, 5),
        "RNN": (1, 2, 3),
        "ConstantOfShape": (0,),
        "CumSum": (1,),
        "Expand": (1,),
        "Pad": (1, 3),
        **dict.fromkeys((f"Reduce{name}" for name in ("L2", "Max", "Mean", "Min", "Sum", "SumSquare")), (1,)),
        "Range": (0, 1, 2),
        "Reshape": (1,),
        "Resize": (1, 2, 3),
        "Slice": (1, 2, 3, 4),
        "Split": (1,),
        "Squeeze": (1,),
        "Tile": (1,),
        "TopK": (1,),
        "Unsqueeze": (1,),
        "Upsample": (1,),
    }.items()
}

"""What no program of cores can be, and what would make it one: types of values, and kinds of operators."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import NodeProto, TensorProto, TypeProto

from compiler.frontend.nodes.element_types import dtype_name
from emu.errors import CompileError

_FLOATS = "convert the model to float32"
# Element types that the machine lacks -> what to do instead.
_INSTEAD: Mapping[int, str] = {
    TensorProto.UINT32: "use int64",
    TensorProto.UINT64: "use int64",
    TensorProto.STRING: "turn texts into numbers before the network",
    TensorProto.COMPLEX64: "use a tensor of real and one of imaginary parts",
    TensorProto.COMPLEX128: "use a tensor of real and one of imaginary parts",
}
_KINDS: Mapping[str, str] = {
    "sequence_type": "a sequence",
    "optional_type": "an optional value",
    "map_type": "a map",
    "sparse_tensor_type": "a sparse tensor",
}

_LENGTHS = (
    "makes a tensor whose shape depends on values, but all shapes must be known before a run: end the model before it"
)
_SEQUENCES = "works on sequences or optional values, which cores do not have: export the model with tensors"
_TEXTS = "works on texts, which cores do not have: turn them into numbers before the network"
_RANDOM = "draws random numbers, which no run could repeat: pass them as an input"
RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")
# Operators -> why no core could do a node of theirs, unless all of its inputs are constant.
WHY_NOT: Mapping[str, str] = {
    **dict.fromkeys(("Compress", "ConstantOfShape", "NonMaxSuppression", "NonZero", "Range", "Unique"), _LENGTHS),
    **dict.fromkeys(("ConcatFromSequence", "SequenceAt", "SequenceConstruct", "SequenceEmpty"), _SEQUENCES),
    **dict.fromkeys(
        ("SequenceErase", "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence"), _SEQUENCES
    ),
    **dict.fromkeys(("Optional", "OptionalGetElement", "OptionalHasElement"), _SEQUENCES),
    **dict.fromkeys(("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer"), _TEXTS),
    **dict.fromkeys(RANDOM, _RANDOM),
}


def impossible(where: str, node: NodeProto, name: str) -> CompileError:
    """The refusal of a node of one of these operators; of one whose results nobody could repeat, host or core."""
    about = "" if node.op_type in RANDOM else name
    return CompileError(f"{where}: node '{name}' ({node.op_type}) {WHY_NOT[node.op_type]}", about)


def why_no_value(kind: TypeProto) -> str:
    """Why no value of the machine can be of type `kind`, and what to do instead."""
    form = kind.WhichOneof("value") or "tensor_type"
    if form != "tensor_type":
        return f"is {_KINDS.get(form, 'no tensor')}, which the machine does not have: export the model with tensors"
    code = kind.tensor_type.elem_type
    return f"is {dtype_name(code)}, a type that the machine does not have: {_INSTEAD.get(code, _FLOATS)}"

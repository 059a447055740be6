"""All front ends: the first one that recognises a source reads it. A new one is a file and a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from compiler.frontend.front_end import FrontEnd, Shape
from compiler.frontend.onnx_front_end import OnnxFrontEnd
from compiler.frontend.text.text_front_end import TextFrontEnd
from compiler.frontend.torch.torch_front_end import TorchFrontEnd
from emu.errors import InputError, shown

if TYPE_CHECKING:
    from compiler.frontend.model import LoadedModel


def _with_fixed_caches(
    model: LoadedModel, length: int | None, shapes: Mapping[str, Shape]
) -> tuple[LoadedModel, Mapping[str, str]]:
    from compiler.caches.fixed import with_fixed_caches

    fixed = with_fixed_caches(model, length, shapes)
    return fixed.model, fixed.states


FRONT_ENDS: tuple[FrontEnd, ...] = (
    TextFrontEnd(),
    TorchFrontEnd(_with_fixed_caches),
    OnnxFrontEnd(_with_fixed_caches),
)


def front_end_of(source: object) -> FrontEnd:
    """The front end for a path or an object; raises InputError if there is none."""
    for front_end in FRONT_ENDS:
        if front_end.recognises(source):
            return front_end
    raise InputError(f"{shown(source)} is nothing that a front end reads: give a path, or an ONNX ModelProto")

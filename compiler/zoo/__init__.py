"""Standard networks with seeded weights, built without any download: name -> ONNX model.

A new network is one function in a file of its family and one row of `FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from onnx import ModelProto

from emu.errors import InputError
from emu.wording import nearest

FAMILIES: Mapping[str, str] = {  # network -> module that has a builder of that name
    "lenet5": "small",
    "mlp3": "small",
    "resnet18": "resnet",
    "resnet50": "resnet",
    "vgg16": "vgg",
    "googlenet": "googlenet",
    "mobilenet_v2": "mobilenet",
    "squeezenet": "squeezenet",
}
NAMES: tuple[str, ...] = tuple(FAMILIES)


def build(name: str, seed: int = 0) -> ModelProto:
    """The network `name` with weights drawn from `seed`; the same seed gives the same bytes. Raises InputError."""
    if name not in FAMILIES:
        raise InputError(
            f"there is no built-in network '{name}': choose one of {', '.join(NAMES)}{nearest(name, NAMES)}"
        )
    builder: Callable[[int], ModelProto] = getattr(import_module(f"compiler.zoo.{FAMILIES[name]}"), name)
    return builder(seed)

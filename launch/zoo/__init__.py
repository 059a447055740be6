"""Standard networks with seeded weights, built without any download: name -> ONNX model.

A new network is one function in a file of its family and one row of `NETWORKS`; a new kernel is one row in `kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from onnx import ModelProto

from emu.errors import InputError
from emu.wording import nearest


@dataclass(frozen=True, slots=True)
class ZooNetwork:
    """A row of the table: the module with a builder of the network's name, weights and multiplications in millions."""

    module: str
    inputs: str
    weights: float
    macs: float


NETWORKS: Mapping[str, ZooNetwork] = {
    "lenet5": ZooNetwork("small", "1x1x28x28", 0.062, 0.417),
    "mlp3": ZooNetwork("small", "1x784", 1.33, 1.33),
    "resnet18": ZooNetwork("resnet", "1x3x224x224", 11.7, 1814),
    "resnet34": ZooNetwork("resnet", "1x3x224x224", 21.8, 3664),
    "resnet50": ZooNetwork("resnet", "1x3x224x224", 25.6, 4089),
    "resnet101": ZooNetwork("resnet", "1x3x224x224", 44.7, 7802),
    "vgg7": ZooNetwork("vgg", "1x3x32x32", 13.0, 616),
    "vgg16": ZooNetwork("vgg", "1x3x224x224", 138, 15470),
    "googlenet": ZooNetwork("googlenet", "1x3x224x224", 7.0, 1583),
    "mobilenet_v2": ZooNetwork("mobilenet", "1x3x224x224", 3.54, 301),
    "squeezenet": ZooNetwork("squeezenet", "1x3x224x224", 1.24, 349),
    "densenet": ZooNetwork("densenet", "1x3x224x224", 8.06, 2834),
    "shufflenet": ZooNetwork("shufflenet", "1x3x224x224", 2.29, 145),
    "unet": ZooNetwork("unet", "1x3x128x128", 1.95, 758),
    "resnet3d_small": ZooNetwork("resnet3d", "1x3x8x56x56", 3.70, 676),
    "vit_tiny": ZooNetwork("vit", "1x3x224x224", 5.72, 1254),
    "vit_b16": ZooNetwork("vit", "1x3x224x224", 86.6, 17564),
    "bert_mini": ZooNetwork("bert", "3 of 1x128 int64", 11.2, 436),
    "gpt_tiny": ZooNetwork("gpt", "1x64 int64", 4.23, 277),
    "lstm_net": ZooNetwork("recurrent", "1x100x256", 1.06, 105),
    "gru_net": ZooNetwork("recurrent", "1x100x256", 0.793, 78.7),
    "wavenet": ZooNetwork("wavenet", "1x1x1024", 0.200, 201),
}
NAMES: tuple[str, ...] = tuple(NETWORKS)
KERNELS = "kernels/"  # what names of kernels begin with


def build(name: str, seed: int = 0) -> ModelProto:
    """The network `name`, or a kernel such as "kernels/mm", with weights drawn from `seed`.

    The same seed gives the same bytes. Raises InputError for a name that is not in the tables.
    """
    if name.startswith(KERNELS):
        from launch.zoo.kernels import build_kernel

        return build_kernel(name.removeprefix(KERNELS), seed)
    if name not in NETWORKS:
        raise InputError(
            f"there is no built-in network '{name}': choose one of {', '.join(NAMES)}{nearest(name, NAMES)}"
        )
    builder: Callable[[int], ModelProto] = getattr(import_module(f"launch.zoo.{NETWORKS[name].module}"), name)
    return builder(seed)

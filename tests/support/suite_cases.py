"""Cases of ONNX's suite for tests: the target set once per process, small models, and cases made of them."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
from onnx import ModelProto, helper
from onnx_models import make_model

from launch.conformance.cases import OnnxCase, collect
from launch.conformance.selecting import Selection
from launch.conformance.trial import ConformanceTrial

TENTH, SEED = 10, 7


@cache
def all_cases() -> list[OnnxCase]:
    """All cases of the suite, which takes seconds to make."""
    return collect()


@cache
def target_cases() -> tuple[OnnxCase, ...]:
    """All cases of the target set that the installed onnx has."""
    return tuple(Selection().of(all_cases()))


@cache
def drawn() -> frozenset[str]:
    """The names of a seeded tenth of them, whole networks aside."""
    names = [case.name for case in target_cases() if case.kind != "real"]
    return frozenset(Random(SEED).sample(names, len(names) // TENTH))


def one_node(operator: str, shapes: list[list[int]], result: list[int], **attributes: object) -> ModelProto:
    """A model of one node, all float32: inputs a, b, ... of these shapes, output y."""
    inputs = dict(zip("abcdef", shapes, strict=False))
    return make_model([helper.make_node(operator, list(inputs), ["y"], **attributes)], inputs, {"y": result})


def trial_of(
    model: ModelProto, inputs: list[np.ndarray], outputs: list[np.ndarray], name: str = "test_it"
) -> ConformanceTrial:
    """A case of kind node with one data set."""
    operator = model.graph.node[0].op_type
    return ConformanceTrial(name, "node", operator, model.SerializeToString(), [(inputs, outputs)], 1e-3, 1e-7, 4)

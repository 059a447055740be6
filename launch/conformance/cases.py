"""The cases of ONNX's own suite, as the installed onnx has them; nothing is downloaded."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, ValueInfoProto, numpy_helper

from emu.errors import InputError
from launch.conformance.frozen import graph_inputs
from launch.conformance.trial import ConformanceTrial, DataSet

# Kind of cases, as the suite calls it -> cores that one may use: the real ones are whole networks.
KINDS = {"node": 4, "simple": 4, "pytorch-converted": 4, "pytorch-operator": 4, "real": 160}
SEVERAL = "(several)"  # what the operator of a case with more than one is called
SEED = 0  # of the values that the suite draws
_LIGHT = "onnx/backend/test/data/light/"  # where it keeps networks without their weights


@dataclass(frozen=True, slots=True)
class OnnxCase:
    """A case of the suite; `operators` are those of its nodes, `missing` says why it cannot be run, if it cannot."""

    name: str
    kind: str
    operators: frozenset[str]
    model: ModelProto
    data: list[DataSet]
    rtol: float
    atol: float
    missing: str = ""

    @property
    def operator(self) -> str:
        """The operator that it tests; constant nodes do not count."""
        kinds = sorted(self.operators - {"Constant"}) or sorted(self.operators)
        return kinds[0] if len(kinds) == 1 else SEVERAL

    def trial(self, host_fallback: bool = False) -> ConformanceTrial:
        """The trial of the case, for its process."""
        content = self.model.SerializeToString()
        limits = self.rtol, self.atol, KINDS[self.kind]
        return ConformanceTrial(
            self.name, self.kind, self.operator, content, self.data, *limits, host_fallback, self.missing
        )


def collect(kinds: Collection[str] = KINDS.keys()) -> list[OnnxCase]:
    """All cases of these kinds, by kind and name. That takes seconds: the suite computes what it expects anew."""
    for kind in kinds:
        if kind not in KINDS:
            raise InputError(f"the suite has no cases of kind {kind!r}: use {', '.join(KINDS)}")
    return [case for kind in KINDS if kind in kinds for case in sorted(_of_kind(kind), key=lambda case: case.name)]


def _of_kind(kind: str) -> Iterator[OnnxCase]:
    with _undisturbed():
        from onnx.backend.test.loader import load_model_tests

        found = load_model_tests(kind=kind)
    return map(_case, found)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A context for the suite, which draws values, prints and warns: values are seeded, output is suppressed."""
    state = np.random.get_state()
    np.random.seed(SEED)
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(state)


def _case(found: Any) -> OnnxCase:
    """A case as the suite has it (`onnx.backend.test.case.test_case.TestCase`)."""
    model, data, missing = ModelProto(), list[DataSet](), ""
    if found.model is not None:
        model = found.model
        data = [(_tensors(inputs), _tensors(outputs)) for inputs, outputs in found.data_sets]
    elif found.model_dir is not None:
        model = onnx.load(Path(found.model_dir) / "model.onnx")
        data = [_read_data(folder, model) for folder in sorted(Path(found.model_dir).glob("test_data_set_*"))]
    elif (path := _light(found.url)).is_file():
        model = onnx.load(path)
        data = _light_data(path, model)
    else:
        missing = f"the network is not in the installed onnx: the suite would download it from {found.url}"
    operators = frozenset(node.op_type for node in model.graph.node)
    return OnnxCase(found.name, found.kind, operators, model, data, found.rtol, found.atol, missing)


def _tensors(values: Sequence[Any]) -> list[Any]:
    """What the suite holds as arrays, lists or protocol buffers, as arrays where it is a tensor."""
    return [numpy_helper.to_array(value) if isinstance(value, TensorProto) else value for value in values]


def _read_data(folder: Path, model: ModelProto) -> DataSet:
    """The files of a data set: what is no tensor is None."""
    inputs = [_read(folder / f"input_{place}.pb", value) for place, value in enumerate(model.graph.input)]
    outputs = [_read(folder / f"output_{place}.pb", value) for place, value in enumerate(model.graph.output)]
    given = len(list(folder.glob("input_*.pb")))
    return inputs[:given], outputs


def _read(path: Path, value: ValueInfoProto) -> Any:
    if not path.is_file() or value.type.WhichOneof("value") != "tensor_type":
        return None
    return numpy_helper.to_array(TensorProto.FromString(path.read_bytes()))


def _light(url: str) -> Path:
    """Where a network is that the suite itself takes from its package."""
    home = Path(onnx.__file__).parent
    return home.parent / url if url.startswith(_LIGHT) else home / "nowhere"


def _light_data(path: Path, model: ModelProto) -> list[DataSet]:
    """The input that the suite makes for a network of its package, and the outputs that it has there; or nothing."""
    from onnx.backend.test.runner import Runner

    files = [path.with_name(f"{path.stem}_output_{place}.pb") for place in range(len(model.graph.output))]
    if not all(file.is_file() for file in files):
        return []
    real = graph_inputs(model.graph)
    inputs = [Runner.generate_dummy_data(value) for value in model.graph.input if value.name in real]
    return [(inputs, [numpy_helper.to_array(TensorProto.FromString(file.read_bytes())) for file in files])]

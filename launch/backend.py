"""The interface by which ONNX runs networks (`onnx.backend.base`), on emulated core processes.

    import launch.backend as backend
    outputs = backend.prepare(model).run([image])

One warm process serves all networks of this process; it starts with the first run and ends at `close`, or with this
process.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, ValueInfoProto, helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType, namedtupledict

from compiler.basis.options import NAMES
from compiler.frontend.graph_checks import check_graph, first_line
from compiler.frontend.model import load_model
from compiler.frontend.operators import OPERATORS
from emu.errors import CompileError, InputError, option
from emu.output.scratch import ScratchFolder
from launch.conformance.prepared import PreparedModel
from launch.processes.warm_zygotes import WarmZygotes
from launch.processes.zygote_process import ZygoteProcess

OPTIONS = ("arch", *NAMES, "timeout", "zygotes")
OF_THE_SUITE = ("rtol", "atol")  # what the suite's runner hands on, and compares by itself


class EmuRep(BackendRep):
    """A network that is ready to run; its image is temporary, and goes with it.

    What the compiler needs as constants (`launch.conformance.frozen`) and the file gives no value for is taken from the
    first run: another value makes it compile again.
    """

    def __init__(self, model: ModelProto, zygotes: Any, **options: Any) -> None:
        scratch = ScratchFolder("backend")
        self._prepared = PreparedModel(model, scratch.__enter__(), zygotes, **options)
        weakref.finalize(self, scratch.__exit__, None, None, None)
        if not self._prepared.frozen:
            self._compile({})

    def run(self, inputs: Any, **kwargs: Any) -> tuple[np.ndarray, ...]:
        """The outputs, by name and in order, of one sample: arrays in the order of the graph, or by name.

        A single input may come without a list. Raises EmuErrors.
        """
        if kwargs:
            raise InputError(f"{next(iter(kwargs))!r} is no option of a run: give the inputs alone")
        values = self._values(inputs)
        self._compile(values)
        outputs = self._prepared.run(values)
        names = self._prepared.outputs
        return namedtupledict("Outputs", names)(*(outputs[name] for name in names))

    def _compile(self, values: Mapping[str, np.ndarray]) -> None:
        """Compile for the frozen values among these; raises InputError if cores then have no part in the outputs."""
        self._prepared.compile(values)
        if why := self._prepared.hollow:
            raise InputError(why)

    def _values(self, inputs: Any) -> dict[str, np.ndarray]:
        if isinstance(inputs, Mapping):
            if missing := [name for name in self._prepared.inputs if name not in inputs]:
                raise InputError(f"input {missing[0]!r} is missing: give an array of this name")
            return dict(inputs)
        return self._prepared.bind([inputs] if isinstance(inputs, np.ndarray) else list(inputs))


class EmuBackend(Backend):
    """Compiles for, and runs on, emulated core processes; what goes wrong is an EmuError of one sentence."""

    @classmethod
    def is_compatible(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether all operators, and the operator set, are supported; shapes and attributes are seen by `prepare`."""
        try:
            check_graph(load_model(model), OPERATORS)
        except CompileError:
            return False
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> EmuRep:
        """Compile `model`, or get it ready to be compiled by its first run; raises EmuErrors.

        Options are `arch` and the fields of `CompileOptions`, as of `compiler.compile`, `timeout` seconds without a
        result, and `zygotes` of `launch.warm_zygotes` in place of this module's own.
        """
        if not isinstance(model, ModelProto):
            raise InputError(f"a model is an onnx.ModelProto, not {type(model).__name__}: read it with onnx.load")
        if not cls.supports_device(device):
            raise InputError(f"{option('device')} {device!r} is unknown: the cores are processes of this host, 'CPU'")
        if unknown := [name for name in kwargs if name not in (*OPTIONS, *OF_THE_SUITE)]:
            raise InputError(f"{unknown[0]!r} is no option of this backend: use {', '.join(OPTIONS)}")
        options = {name: value for name, value in kwargs.items() if name in OPTIONS}
        return EmuRep(model, options.pop("zygotes", None) or _OWN, **options)

    @classmethod
    def run_model(cls, model: ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[np.ndarray, ...]:
        """The outputs of `model` for `inputs`; options as of `prepare`. Raises EmuErrors."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype, tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[np.ndarray, ...]:
        """The outputs of one node for arrays in the order of its inputs, those left out aside; raises EmuErrors.

        `opset_version` says which operator set it is of (default: the newest); other options as of `prepare`.
        """
        opset = kwargs.pop("opset_version", onnx.defs.onnx_opset_version())
        arrays = [np.asarray(array) for array in inputs]
        return cls.run_model(node_model(node, arrays, opset, outputs_info), arrays, device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether `device` is "CPU", with or without a number."""
        try:
            return Device(device).type == DeviceType.CPU
        except (AttributeError, ValueError):
            return False


def node_model(
    node: NodeProto,
    inputs: Sequence[np.ndarray],
    opset: int,
    outputs_info: Sequence[tuple[np.dtype, tuple[int, ...]]] | None = None,
) -> ModelProto:
    """A model of one node for inputs like these; raises InputError for a node that is not valid."""
    names = [name for name in node.input if name]
    if len(names) != len(inputs):
        raise InputError(f"{len(inputs)} inputs are given, but node {node.op_type} has {len(names)}")
    imports = [helper.make_opsetid(node.domain, opset)]
    try:
        given = {name: _info(name, array.dtype, array.shape) for name, array in zip(names, inputs, strict=True)}
        outputs = [name for name in node.output if name]
        if outputs_info is not None:
            results = [_info(name, *info) for name, info in zip(outputs, outputs_info, strict=True)]
        else:
            kinds = _inferred(node, given, dict(zip(names, inputs, strict=True)), imports)
            results = [helper.make_value_info(name, kinds[name]) for name in outputs]
        graph = helper.make_graph([node], node.op_type or "node", list(given.values()), results)
        model = helper.make_model(graph, opset_imports=imports)
        onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, onnx.defs.SchemaError) as error:
        raise InputError(f"node {node.op_type} is not valid: {first_line(error)}") from error
    except (KeyError, ValueError, TypeError) as error:  # types that ONNX lacks, outputs that are not inferred
        raise InputError(f"node {node.op_type} has inputs or outputs that cannot be described: {error}") from error
    return model


def _info(name: str, dtype: np.dtype, shape: Sequence[int]) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), list(shape))


def _inferred(
    node: NodeProto, given: Mapping[str, ValueInfoProto], values: Mapping[str, np.ndarray], imports: Sequence[Any]
) -> dict[str, onnx.TypeProto]:
    """The types of the outputs, by name."""
    (version,) = (entry.version for entry in imports)
    schema = onnx.defs.get_schema(node.op_type, version, node.domain)
    kinds = {name: info.type for name, info in given.items()}
    data = {name: onnx.numpy_helper.from_array(array, name) for name, array in values.items()}
    return onnx.shape_inference.infer_node_outputs(schema, node, kinds, data, opset_imports=list(imports))


class _OwnZygotes:
    """Warm zygotes of this module, made when the first run wants one; a fork of this process makes its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._warm: WarmZygotes | None = None
        self._owner = 0

    def start(self, scratch: str = "") -> ZygoteProcess:
        """A zygote for one run."""
        with self._lock:
            if self._warm is None or self._owner != os.getpid():
                self._warm, self._owner = WarmZygotes(), os.getpid()
            warm = self._warm
        return warm.start(scratch)

    def close(self) -> None:
        """End the warm process, if there is one."""
        with self._lock:
            warm, self._warm = self._warm, None
        if warm is not None and self._owner == os.getpid():
            warm.close()


_OWN = _OwnZygotes()
atexit.register(_OWN.close)

is_compatible = EmuBackend.is_compatible
prepare = EmuBackend.prepare
run = EmuBackend.run_model
run_model = EmuBackend.run_model
run_node = EmuBackend.run_node
supports_device = EmuBackend.supports_device
close = _OWN.close

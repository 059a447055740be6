"""Runs passes over an imported model and compares with onnxruntime on the original."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto
from onnx_export import evaluate_module, run_onnx
from onnx_models import random_array
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects.onnx import ConstantOp
from compiler.dialects.onnx_op import OnnxOp
from compiler.frontend.importer import import_model
from compiler.passes import run_pipeline
from compiler.session.context import CompilerContext, make_context
from compiler.transforms.onnx_pipeline import ONNX_PIPELINE


def agree_after(model: ModelProto, *passes: ModulePass, tolerance: float = 1e-5) -> ModuleOp:
    """The module after `passes`, which must verify and compute what `model` computes."""
    context = make_context()
    imported = import_model(model, context)
    feed = {info.name: random_array(*info.shape, seed=index) for index, info in enumerate(imported.inputs)}
    for step in passes:
        step.apply(context, imported.module)
        imported.module.verify()
    expected = run_onnx(model, feed)
    for got, wanted in zip(evaluate_module(imported.module, context, feed), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=tolerance * np.abs(wanted).max(initial=1.0))
    return imported.module


def legalise_onnx(context: CompilerContext, module: ModuleOp) -> None:
    """Run the passes over the `onnx` dialect on the module, in place, verifying it at the end."""
    run_pipeline(ONNX_PIPELINE, context, module)
    module.verify()


def kinds(module: ModuleOp) -> list[str]:
    """The operators of a module in order, without constants."""
    operations = [op for op in module.walk() if isinstance(op, OnnxOp) and not isinstance(op, ConstantOp)]
    return [op.name.removeprefix("onnx.") for op in operations]

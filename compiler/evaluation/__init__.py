"""Computes tensors of an ONNX model by evaluators that others wrote: of constants, of host nodes, and golden values.

Imports nothing of this project: it is also loaded by path, in the process that computes golden values.
"""

from .sources import REFERENCE_WRONG, SOURCES, Refused, Runner, model_of

__all__ = ["REFERENCE_WRONG", "SOURCES", "Refused", "Runner", "model_of"]

"""Computes tensors of an ONNX model by evaluators that others wrote: golden values.

Imports nothing of this project: it is loaded by path in the process that computes golden values.
"""

from .sources import REFERENCE_WRONG, SOURCES, Refused, Runner, perturbed

__all__ = ["REFERENCE_WRONG", "SOURCES", "Refused", "Runner", "perturbed"]

"""Lowering of `onnx` operators to `spat` layers on whole tensors: one file per family of operators."""

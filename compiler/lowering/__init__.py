"""Lowering of `onnx` operators to `spat` computes on channel tiles: one file per family of operators."""

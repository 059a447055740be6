"""MLIR text in, modules of the `onnx` dialect out: `func`, `linalg` on tensors, `arith`, `math` and `tensor`."""

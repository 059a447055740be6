"""ONNX files in, modules of the `onnx` dialect out."""

"""Nodes: one ONNX node with its attributes, and the values that are in scope where it stands."""

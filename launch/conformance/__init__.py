"""ONNX's own test suite on core processes: its cases, what is frozen of them, how they run, and what is told."""

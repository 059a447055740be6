"""ONNX's own test suite on core processes: its cases, frozen inputs, trials and reports."""

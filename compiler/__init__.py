"""ONNX in, one program per core out; imports the machine's descriptions only."""

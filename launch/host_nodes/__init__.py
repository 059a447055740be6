"""Host nodes: each process computes the ONNX nodes of one segment of a network, for the programs of cores around it."""

"""The front end of torch: exported programs, through torch's ONNX exporter."""

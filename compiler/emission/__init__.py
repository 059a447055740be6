"""Emission: instructions, addresses of rows of buffers, activations, that kernels are written in."""

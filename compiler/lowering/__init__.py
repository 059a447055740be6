"""Lowering of `onnx` operators to `spat` layers on whole tensors: one file per family of operators.

A transposed convolution (`conv_transpose.py`): output o gets input i by tap k where o + pad = i * stride + k *
dilation, so outputs whose places have one remainder modulo the strides are a *phase*, a small convolution with stride
1 and crossbars of its own; `kernel.interleave` puts their results at every n-th place, and a phase that no tap
reaches is the bias.

A product after Flatten is a convolution whose kernel is the whole image: its weights are permuted, not its input. A
copy into another layout appears only where an operator needs one.
"""

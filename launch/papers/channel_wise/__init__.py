"""What the thesis on channel-wise lowering measures: a convolution, compiled in both schemes."""

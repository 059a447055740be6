"""Code generation: `pim` cores become programs and the weights of their array groups, `pim` tensors specs."""

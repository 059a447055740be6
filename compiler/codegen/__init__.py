"""Code generation: `pim` cores become programs, crossbar images and the manifest."""

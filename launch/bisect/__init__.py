"""The first divergence of a run from its golden values: the node, core, instruction, crossbar or message."""

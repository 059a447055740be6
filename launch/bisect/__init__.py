"""The first divergence: which node, core, instruction, crossbar or message makes a run differ from its golden."""

"""The executor that defines: instruction by instruction, in the order of simulated time."""

"""What decides the latency of a sample: the chain of operations and messages; the slack of all that is beside it."""

"""What decides the latency of a sample: the chain of operations and messages, and the slack of all that is beside it."""

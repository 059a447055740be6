"""Supervision of a run: dead and stopped processes, deadlocks, lost messages, timeouts, and the errors they raise."""

"""What every core of one machine does, in shared memory, and whoever looks at it."""

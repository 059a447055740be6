"""The status board in shared memory, where every core of one machine writes what it does, and its reader."""

"""The executor that gives what `step` defines, without unrolling what it can prove."""

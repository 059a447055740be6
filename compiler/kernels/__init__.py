"""Kernels: one file per kind, with what it needs (scratch, constants) and the instructions it becomes.

What is computed is said once, in the dialect `kernel`. Its operations take and make tensors in `spat` (whole ones in
a `spat.product` or `spat.layer`, tiles in a `spat.compute`), and buffers in `pim`: inputs, outputs, scratch,
constants (`ins(%x) outs(%y) constants(%c)`), with the rows that they work on. Each verifies its shapes in both forms.
One file holds all of a kernel: operation, verifier, the rows of its operands that a row of its result needs
(`row_maps`), how it is cut along the channels, its buffers and constants, its instructions. A new kernel is such a
file, a row of `table.py`, words for names that no other operation has (`compiler/dialects/meanings.py`), and what it
means (`compiler/interpreter/`).

`concat` does what `extract_slice`, `concat` and padding would do one by one, in one copy; its `parts` say which boxes
go where.
"""

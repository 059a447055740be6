"""What all steps of the mapping of a network onto cores share: the record of work, the cost, the solver, the constants.

The steps are `tiling` (matrices cut into crossbars), `placement` (computes onto cores), `schedules` (copies, bands and
rows), `weight_swaps` (weights that are written while a network runs) and `cutting` (layers become computes on tiles).
None of them says by itself what work is (`work`), what it takes (`cost`), how something scarce is shared out (`solver`)
or how far a rule of thumb goes (`tuned`).
"""

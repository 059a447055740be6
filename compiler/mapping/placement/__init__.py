"""Placement: computes get cores, from a table of the work that each is.

What has weights gets a core of its own while there are enough, else the core with the least work that has room;
computes of one `cluster` (pieces of a slice of a chain; a partial sum and its additions) stay together. What has no
weights goes where most bytes of those operands are that come from the latest product: a residual in one piece, as
large as all parts of the product that is added to it, would else stand on one core through the whole network. A
`core` that is set stays.
"""

"""Segments of a network that is larger than the chip: whose weights are on crossbars when, and how they get there.

Each core keeps some crossbars for weights that stay and has a *bank* of others. A group in the bank names its first
crossbar there; groups whose crossbars overlap exclude each other: writing one destroys the others at once and wholly.
`plan` says which weights stay and how large the bank is, and leaves it as `pieces` at each layer. All cores compute
one segment before any computes the next one, but each writes its next weights once it has done its part; messages to
a later segment are sent when their tensors are made and wait in the receiver's memory. Weights wait in read-only
tensors of global memory, one per core, and pass through a buffer of two halves, one of which is filled while the
other one is written. Copies of a layer's weights come in one segment, because they work at the same time.
"""

"""Structured nests: loops over points, affine maps to elements, a body of scalar functions; as data, without IR.

Whatever is neither a product with a constant nor a pooling is a nest, in the form of `linalg.generic`: one operation
(`nest.generic`), one kernel, and what differs between operators is data.
* Space and maps (`nest.py`, `linear.py`): each dimension is parallel, or a reduction whose values `combine` puts
  together. A map gives, per dimension of a tensor, a sum of counters times whole numbers: broadcasting leaves a
  counter out, a negative step counts backwards.
* Body (`body.py`): a list of steps, rows of `functions.py` with the numbers of their arguments; operands come first.
  It is data and no region, because everything asks it for the same few things: types, how long a value is needed,
  whether it is a product. Import functions write it as Python that is run once on symbols (`expression.py`).
* Fusion (`fusion.py`, pass `fuse-nests`): a nest takes in the body of the one that it alone reads, with composed
  maps. Every step rounds to its type as before, so no bit changes; outputs, results with another reader, reductions
  as makers and elements that would be computed twice stay.
* Lowering: dimensions are cut into the axes of memory that the tensors have; where a map mixes two counters over
  several axes, a copy into another layout comes first. Rows are streamed if a row needs one row, the same row, or all
  rows.
* Emission (`compiler/emission/nest*.py`): the dimension that makes the fewest and longest vectors is the vector, all
  others are loops; the number of instructions depends on no size.
* Products of two results are nests whose body is one multiplication (`contraction.py`): `mmul`, or crossbars that are
  written (`written.py`).
"""

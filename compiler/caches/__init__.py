"""Key-value caches that grow with every step: how they get a fixed capacity and a position.

It is done before anything is imported, in operators of ONNX alone, so shapes are inferred and golden values computed
of the same network as is compiled. `survey` infers all shapes at three positions and fits `a + b * position`; sizes
that rules rely on are checked at every position. Values without a run-time input are evaluated at every position, in
one session; `standing` recognises constants and numbers that count, and the rest becomes a table with a row per
position. The rules (`rules`) follow the axes that grow through all other operators: each knows what stands behind the
end of an axis (zero, something finite, anything) and puts a neutral element where elements are put together.

`fixed.with_fixed_caches` does all of it, and is all that others use.
"""

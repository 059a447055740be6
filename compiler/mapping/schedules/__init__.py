"""Schedules: how work is cut and ordered beyond what a network says, and how much of it where.

Copies of weights (`copies`, `duplication`): a layer with n copies becomes n layers that each make a *band* (`bands`)
of places along the first axis in memory that has n places or more, else the longest; `along=columns` takes the last
such axis. `spat.join` with an `axis` says that the bands are one tensor, and moves nothing. Layers before the first
product are cut as that is (`leading`), layers behind as the operand with the most bands that they take part by part
(`following`, `Kernel.cut_axis`), until one needs all places. How many copies there are is decided within a budget of
cores by `mapping.solver`: for `latency` by dynamic programming over layers and cores, for `throughput` by the fewest
copies that make the slowest layer as fast as it can be, `greedy` step by step. In segments each layer may have all
cores, and gets the copies that save more time than writing them takes. Times are those of `mapping.cost`.

`pipelining` gives each compute its number of rows, so that layers with strides keep in step; a compute whose row is
short makes more rows at a time, because starting a message costs as much as sending some bytes; parts are halved
until the buffers fit. `written_products` gives products of two results the crossbars that are left.
"""

"""Partitioning: weight matrices cut into crossbars, crossbars grouped into pieces, pieces placed on cores.

A *piece* is a rectangle of row tiles x column tiles on one core. Each of its column tiles is one array group (a grid
of one column), so one `mvmul` per pixel adds its partial sums crossbar by crossbar: column tiles are what other cores
ask for. One of the cores that make partial sums, another one per column tile, adds them in the order of the row
tiles.

`pack` fills cores. `spread` bounds the work (crossbars x pixels) of the busiest core: columns are cut before rows,
because row cuts cost partial sums; with more matrices than cores the pieces share cores, longest first. `frugal` goes
on from that bound:
* chains (`chain.py`): a depthwise convolution, the one that makes its channels and the one that multiplies its result
  are cut into slices of channels, one core each, within which nothing is sent;
* cuts (`cuts.py`): every other matrix is cut into as few and as favourable parts as the bound allows, rows
  along the channels where that takes no more parts, so that each part is sent channels of its own
  (`compiler/mapping/cutting/slicing.py`);
* sharing (`shared_cores.py`, `siblings.py`): layers that follow each other, and small layers beside a larger one,
  share cores.
"""

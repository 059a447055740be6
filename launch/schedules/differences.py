"""How the models of papers differ from the one of `emu time`, by name: what explains figures that are far apart."""

from __future__ import annotations

from collections.abc import Mapping

DIFFERENCES: Mapping[str, str] = {
    "products": "the published model counts products alone: its unscheduled image is the sum of the cycles of its"
    " layers (3.74 million for ResNet-18), its pipeline the slowest layer. Here copies of windows, sums, additions,"
    " pooling and messages of the programs take time, too: the unscheduled image takes longer than its products, and"
    " bands on more cores divide all of that, not products alone",
    "copies": "the published model divides a layer's products by its copies, and counts nothing else. Here a copy is a"
    " band of rows that is sent its halo, and sums of row tiles and shortcuts take time beside the products; and the"
    " last product, which the re-run leaves out, takes cores (32 of 768 for ResNet-101) that the re-run has for copies",
    "stagger": "there a crossbar starts as soon as its slice of the input is ready."
    " Here the row tiles of a pixel follow each other on their core, so that few crossbars work at a time: that takes"
    " time where this core decides the pace",
    "spreading": "rows are spread over the crossbars that copies of weights leave free on a core, which are few when"
    " the budget is spent on copies first",
    "peak": "the saving of the paper is of its own programs. Here cores reach their"
    " products at different times without the pass, too, so there is less to take away; and products of one row tile"
    " have nothing to take away",
    "greedy": "the paper compares compilers: Poly-Schedule's whole schedule with its own. Here both rows differ by the"
    " choice of copies alone, with the same budget, and are timed without a pipeline inside of an image",
    "rewrites": "the published baseline is a layer at a time. Here a segment has as many layers, or as large a part of"
    " one, as the crossbars hold, in the unscheduled program, too; a layer that fills them leaves none for copies, and"
    " one that does not has as many copies as they hold. Writing weights, of which the table of the chip has no time,"
    " takes none, but for what global memory takes to give them",
    "chip": "another chip: the thesis describes one of its own with 200 cores; the figures here are of preset isaac",
    "sites": "a contraction was not found, or a loop was not moved",
    "writing": "the published sheet takes 0.85 of the time of writes for the interchange, whatever the kernel, and adds"
    " what the host does; as we read its counts, they are of words of four bytes that its simulator moves: 2.5 us for"
    " each one written, vectors, too, and 1 us for each one read. Here a write is 2.5 us for a row of cells or for a"
    " tile, a vector takes 1 us, writes fall as they are counted, and the host takes no time",
    "overheads": "the published times have the host's copies for im2col and TTGT in them, which no tile makes faster;"
    " without these the sheet divides by 4. Here the host takes no time, and as many tiles of a kernel work at a time"
    " as it has along its longer loop: 2 of kronecker3 and of abc-acd-db",
    "lstm": "the published lstm is as fast on one tile as on four, although the sheet's factor is 2, and faster by the"
    " interchange, although one vector leaves nothing to interchange. Here its eight tiles are four at a time",
    "lifetime": "as we read the published sheet, it takes the words that one run writes, of matrices of 128 x 128, for"
    " those of a second (endurance x 131,072 / 16,512 / 31,536,000 of mm), which is no time that the kernel takes. Here"
    " runs follow each other without a pause, on the tiles that they use",
    "share": "the share of the paper is of time on an ARM core. Here it is of operations on elements: a sum of products"
    " is two per product, and any function one, so what is slow on a core counts as little as what is fast",
    "use": "the paper tells 6.5 % of lstm. Its published sheet has 100 %, as here: the 128 x 256 weights of a step of"
    " 64 cells fill eight tiles",
}

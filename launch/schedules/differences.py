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
}

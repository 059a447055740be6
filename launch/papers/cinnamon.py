"""Cinnamon gives products that depend on each other crossbars as soon as possible, or as late."""

from launch.papers.frame.figure import Paper
from launch.papers.schedules.figure import schedule_figure

SIZE = 64  # of products: one fills a tile of OCC's device

PAPER = Paper(
    about="schedules of products that depend on each other",
    source="Khan et al., CINM (Cinnamon), ASPLOS 2024",
    figures=[
        schedule_figure(
            "products",
            "Cinnamon's schedules of products, as soon and as late as possible",
            chip="occ",
            networks=("3mm", "mlp3", "10-products", "300-products"),
            schedules=("asap", "alap"),
            cores=(1, 2, 4),
            kind="offloaded",
            size=SIZE,
        )
    ],
)

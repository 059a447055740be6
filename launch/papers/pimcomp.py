"""PIMCOMP copies weights for throughput or for latency; its ratios are of a model of its own."""

from launch.papers.frame.figure import Paper
from launch.papers.schedules.figure import schedule_figure

PAPER = Paper(
    about="copies of weights for high throughput (HT) or low latency (LL)",
    source="Sun et al., PIMCOMP, DAC 2023",
    figures=[
        schedule_figure(
            "modes",
            "PIMCOMP's two modes: high throughput (HT) and low latency (LL)",
            chip="isaac",
            networks=("resnet18", "vgg16", "googlenet"),
            schedules=("unscheduled", "HT", "LL"),
        )
    ],
)

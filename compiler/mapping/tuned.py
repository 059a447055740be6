"""Rules of thumb of the mapping, in one table: how far each goes.

No theory gives these figures: measurements have chosen them. For each, docs/mapping-measured.md ("Constants") has two
rows: what half and twice of it does to bytes sent, latency, time per sample and work of the busiest unit of small
networks on three chips. `make mapping` measures them again. A comment here adds what a larger network has shown.
"""

# What another mapping must gain over the first one that fits, by forecasts of both: they are right to some percents.
LEAST_GAIN = 1, 20

# Cores and layers, in placement `frugal`. A share is a fraction (numerator, denominator), of which twice is at most 1.
CORE_NS = 100_000  # what a further core must save at least, by nominal prices
WORK_SHARE = 2, 3  # of the bound on work: a core that goes on with a second layer also waits between both
# The same where it has all that the second layer multiplies, and no other part waits for it. Half: resnet18 on isaac
# sends 2.9 % more and takes a core more.
# All of it: unet takes 3 % less per sample on pimsim-latency, and sends 1.6 % more on 32 cores of isaac.
WHOLE_SHARE = 9, 10
SMALL_LAYER = 8  # how many times as much a core has to do that takes in a small layer
SHORTCUT_LAYER = 2  # the same where the other things that the layer is fed with are shortcuts, made long before
# The same of a layer beside the latest one of the core. Half: unet on pimsim-latency takes 1.7 % less per sample, and
# 1.9 % more on 32 cores.
SIDE_LAYER = 16
MEMORY_SHARE = 8  # layers share a core while what they keep in memory takes at most this part of it

# Messages.
LEAST_MESSAGE = 1 << 10  # bytes: starting a message takes about as long as sending these
SUMS_TOGETHER = 2 << 10  # bytes of partial sums that are added sooner than sent by a message more, of each such message

# Time.
PARTS_OF_IMAGE = 8  # in a pipeline: a layer begins when the one before it has done two of them, whatever its stride
MOST_SEGMENTS = 2  # times the segments with the largest bank: smaller ones write less, and layers wait more often

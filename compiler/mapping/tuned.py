"""Rules of thumb of the mapping, in one table: how far each goes.

No theory gives these figures: they are measured on networks and chips, in bytes sent, latency, time per sample and work
of the busiest core.
"""

# Cores and layers, in placement `frugal`. A share is a fraction (numerator, denominator).
CORE_NS = 100_000  # what a further core must save at least, by nominal prices
WORK_SHARE = 2, 3  # of the bound on work: a core that goes on with a second layer also waits between both
WHOLE_SHARE = 9, 10  # the same where it has all that the second layer multiplies, and no other part waits for it
SMALL_LAYER = 8  # how many times as much a core has to do that takes in a small layer
SHORTCUT_LAYER = 2  # the same where the other things that the layer is fed with are shortcuts, made long before
SIDE_LAYER = 16  # the same of a layer beside the latest one of the core
MEMORY_SHARE = 8  # layers share a core while what they keep in memory takes at most this part of it

# Messages.
LEAST_MESSAGE = 1 << 10  # bytes: starting one takes about as long as sending these
SUMS_TOGETHER = 2 << 10  # bytes of partial sums that are added sooner than as many messages are sent

# Time.
PARTS_OF_IMAGE = 8  # in a pipeline: a layer begins when the one before it has done two of them, whatever its stride
MOST_SEGMENTS = 2  # times the segments with the largest bank: smaller ones write less, and layers wait more often

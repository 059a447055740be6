"""Rules of thumb of the mapping, in one table: how far each goes, and what half and twice of it does to programs.

No theory gives these figures. "half" and "twice" are what changed when a figure alone was halved or doubled, in bytes
sent, latency, time per sample and work of the busiest unit, of digits_cnn_int8, lenet5, squeezenet and the kernels
wavenet and grouped-conv on chip puma, of lenet5, resnet18, squeezenet and wavenet on isaac, and of squeezenet on
pimsim-latency; figures of time with lenet5 in a pipeline, those of segments with digits_cnn_int8 and lenet5 on two
cores. Where nothing is said, neither changed any of the four by as much as a thousandth.
"""

# What another mapping must gain over the first one that fits, by forecasts of both: they are right to some percents.
LEAST_GAIN = 1, 20

# Cores and layers, in placement `frugal`. A share is a fraction (numerator, denominator), of which twice is at most 1.
CORE_NS = 100_000  # what a further core must save at least, by nominal prices
# Of the bound on work: a core that goes on with a second layer also waits between both. All of it: squeezenet on
# pimsim-latency sends 3.5 % less and has 0.2 % more latency.
WORK_SHARE = 2, 3
# The same where it has all that the second layer multiplies, and no other part waits for it. Half: resnet18 sends 2.9 %
# more and takes a core more; squeezenet on pimsim-latency sends 1.3 % less, takes a core more, has 0.2 % more latency.
WHOLE_SHARE = 9, 10
SMALL_LAYER = 8  # how many times as much a core has to do that takes in a small layer
SHORTCUT_LAYER = 2  # the same where the other things that the layer is fed with are shortcuts, made long before
SIDE_LAYER = 16  # the same of a layer beside the latest one of the core
MEMORY_SHARE = 8  # layers share a core while what they keep in memory takes at most this part of it

# Messages.
# Bytes: starting a message takes about as long as sending these. Half: 4.7 % less latency; twice: 2.3 % more latency,
# 5.1 % more time per sample.
LEAST_MESSAGE = 1 << 10
SUMS_TOGETHER = 2 << 10  # bytes of partial sums that are added sooner than as many messages are sent

# Time.
# In a pipeline: a layer begins when the one before it has done two of them, whatever its stride. Half: 1.2 % less
# latency.
PARTS_OF_IMAGE = 8
MOST_SEGMENTS = 2  # times the segments with the largest bank: smaller ones write less, and layers wait more often

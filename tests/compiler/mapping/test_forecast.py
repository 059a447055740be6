"""Forecasts of mappings: when layers begin, how long a core is taken, and which of several mappings is taken."""

from dataclasses import replace

from compiler.mapping import tuned
from compiler.mapping.forecast import Forecast, best, forecast

CHAIN = [(), (0,), (1,)]  # each layer needs the one before


def of(*layers):
    return forecast(zip(CHAIN, layers, strict=True), 0)


def test_a_core_that_waits_between_two_layers_is_taken_meanwhile():
    apart = of([(0, 5.0)], [(1, 7.0)], [(2, 4.0)])
    assert (apart.latency, apart.period, apart.busiest) == (16, 7, 7)
    neighbours = of([(0, 5.0)], [(1, 7.0)], [(1, 4.0)])
    assert (neighbours.latency, neighbours.period, neighbours.busiest) == (16, 11, 11)
    ends = of([(0, 5.0)], [(1, 7.0)], [(0, 4.0)])
    assert (ends.latency, ends.period, ends.busiest) == (16, 16, 9)


def test_parts_of_a_layer_on_one_core_come_one_after_the_other():
    assert of([(0, 5.0), (1, 5.0)], [(2, 1.0)], [(2, 1.0)]).latency == 7
    assert of([(0, 5.0), (0, 5.0)], [(2, 1.0)], [(2, 1.0)]).latency == 12
    assert forecast([], 3) == Forecast(0, 0, 0, 3)


def test_the_first_mapping_stands_unless_another_one_gains_enough_and_is_worse_in_nothing():
    first = Forecast(100, 50, 50, 1000)
    assert best([first]) == 0
    gain, of_all = tuned.LEAST_GAIN
    enough = first.total * gain / of_all
    assert best([first, replace(first, period=50 - enough)]) == 1
    assert best([first, replace(first, period=51 - enough)]) == 0
    assert best([first, replace(first, period=10, nbytes=1001)]) == 0
    assert best([first, replace(first, period=20), replace(first, latency=60, period=20)]) == 2

"""Random numbers of analog arrays: where they come from, that nothing else matters, and that they are normal."""

from hashlib import sha256
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.draws import generator, normal, normals, vector_keys

NORMAL = NormalDist()
MANY = 200_000
KEYS = vector_keys(3, ("core", 5), [np.arange(MANY // 100)], MANY // 100)


def distance(sample: np.ndarray) -> float:
    """The statistic of Kolmogorov and Smirnov against the standard normal distribution, times sqrt(n)."""
    ordered = np.sort(sample.reshape(-1).astype(float))
    shares = np.array([NORMAL.cdf(value) for value in ordered])
    place = np.arange(len(ordered))
    return sqrt(len(ordered)) * max((shares - place / len(ordered)).max(), ((place + 1) / len(ordered) - shares).max())


def splitmix(state: int) -> int:
    """One output of SplitMix64, as its authors print it."""
    mask = (1 << 64) - 1
    state &= mask
    state = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & mask
    state = ((state ^ state >> 27) * 0x94D049BB133111EB) & mask
    return state ^ state >> 31


def test_numbers_are_quantiles_that_words_of_splitmix_choose():
    key = 0x0123456789ABCDEF
    words = [splitmix(key + (place + 1) * 0x9E3779B97F4A7C15) for place in range(50)]
    places = [word >> 16 * part & 0xFFFF for word in words for part in range(4)]
    expected = [np.float32(NORMAL.inv_cdf((place + 0.5) / 65536)) for place in places]
    assert normals(np.array([key], np.uint64), 0, 200).tolist() == [expected]


def test_words_are_those_of_the_published_generator():
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]  # of seed 0
    assert [splitmix(place * 0x9E3779B97F4A7C15) for place in range(1, 5)] == published


@settings(max_examples=examples(40, 400))
@given(st.data())
def test_a_number_depends_on_its_place_alone(data: st.DataObject):
    count, first = data.draw(st.integers(1, 30)), data.draw(st.integers(0, 200))
    width = data.draw(st.integers(0, 300) | st.integers(30_000, 40_000))
    keys = data.draw(st.permutations(KEYS[:count].tolist()))
    order = np.array(keys, np.uint64)
    whole = normals(order, first, width)
    assert whole.shape == (count, width) and whole.dtype == np.float32
    vector, cut = data.draw(st.integers(0, count - 1)), data.draw(st.integers(0, width))
    apart = normals(order[vector : vector + 1], first + cut, width - cut)
    assert whole[vector, cut:].tobytes() == apart.tobytes()


def test_no_vectors_and_no_numbers():
    assert normals(KEYS[:0], 0, 10).shape == (0, 10)
    assert normals(KEYS[:3], 7, 0).shape == (3, 0)
    assert vector_keys(1, (), [], 1).shape == (1,)


@settings(max_examples=examples(40, 400))
@given(st.data())
def test_a_key_depends_on_the_counters_of_its_vector_alone(data: st.DataObject):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    counters = [
        np.arange(start, start + count, dtype=np.int64).reshape(-1, *[1] * (len(shape) - axis - 1))
        for axis, (start, count) in enumerate(
            zip(data.draw(st.tuples(*[st.integers(-5, 9)] * len(shape))), shape, strict=True)
        )
    ]
    place = data.draw(st.lists(st.integers(0, 3) | st.sampled_from(["read", "0"]), max_size=3))
    keys = vector_keys(7, place, counters, int(np.prod(shape))).reshape(shape)
    index = tuple(data.draw(st.integers(0, count - 1)) for count in shape)
    here = [np.array(axis.reshape(-1)[i]) for axis, i in zip(counters, index, strict=True)]
    assert keys[index] == vector_keys(7, place, here, 1)[0]


def test_keys_differ_by_seed_place_order_and_counters():
    one = np.arange(50)
    calls = [(1, (2, 3)), (2, (2, 3)), (1, (3, 2)), (1, (2, "3")), (1, (23,)), (1, (2, 3, 0))]
    keys = [vector_keys(seed, place, [one], 50) for seed, place in calls]
    keys.append(vector_keys(1, (2, 3), [one[:, None], one[None, :]], 2500))
    keys.append(vector_keys(1, (2, 3), [one + 1000, np.zeros(50, np.int64), np.zeros(50, np.int64)], 50))
    assert len(np.unique(np.concatenate(keys))) == sum(map(len, keys))


def test_counters_of_other_vectors_are_refused():
    with pytest.raises(ValueError, match="size 6"):
        vector_keys(1, (), [np.arange(6)], 5)


def test_numbers_of_numpy_name_the_same_place():
    assert generator(np.int64(4), np.int32(7)).random() == generator(4, 7).random()


def test_generators_differ_by_seed_and_place():
    places = [(1, 2, 3), (1, 3, 2), (2, 2, 3), (1, 2, "3"), (1,), (1, 2)]
    assert len({generator(*place).random() for place in places}) == len(places)
    assert generator(1, 2, "programming").random() == generator(1, 2, "programming").random()


def sample(kind: str) -> np.ndarray:
    """Numbers [2000, 100]: of keys, or of one generator."""
    return normals(KEYS, 12, 100) if kind == "keys" else normal(generator(1, "cells"), (len(KEYS), 100))


@pytest.mark.parametrize("kind", ["keys", "generator"])
def test_numbers_are_normal(kind: str):
    numbers = sample(kind).astype(float)
    moments = [(numbers**power).mean() for power in (1, 2, 3, 4)]
    errors = [1, sqrt(2), sqrt(15), sqrt(96)]  # of the mean of each power
    for moment, expected, error in zip(moments, (0, 1, 0, 3), errors, strict=True):
        assert abs(moment - expected) < 4 * error / sqrt(MANY) + 1e-3
    assert distance(numbers) < 1.95  # exceeded by chance once in a thousand
    assert 4 < numbers.max() < 4.33 and -4.33 < numbers.min() < -4


@pytest.mark.parametrize("kind", ["keys", "generator"])
@pytest.mark.parametrize("lag", [(0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 1), (2, 0), (16, 0)])
def test_neighbours_are_independent(kind: str, lag: tuple[int, int]):
    numbers = sample(kind).astype(float)
    first = numbers[: len(numbers) - lag[0], : 100 - lag[1]]
    second = numbers[lag[0] :, lag[1] :]
    for power in (1, 2):
        correlation = np.corrcoef(first.reshape(-1) ** power, second.reshape(-1) ** power)[0, 1]
        assert abs(correlation) < 4 / sqrt(first.size)


def test_trials_cores_and_seeds_are_independent():
    calls = [(1, ("core", 0, 0)), (1, ("core", 0, 1)), (1, ("core", 1, 0)), (2, ("core", 0, 0))]
    flows = [normals(vector_keys(*call, [np.arange(200)], 200), 0, 100).reshape(-1) for call in calls]
    apart = np.corrcoef(np.array(flows)) - np.eye(len(calls))
    assert abs(apart).max() < 4 / sqrt(20_000)
    numbers = np.array([normal(generator(1, "trial", trial), (50,)) for trial in range(400)])
    assert distance(numbers.mean(0) * sqrt(400)) < 1.95
    assert distance(numbers.mean(1) * sqrt(50)) < 1.95


def test_no_processor_can_round_a_number_otherwise():
    upper = np.array([NORMAL.inv_cdf((32768 + place + 0.5) / 65536) for place in range(32768)])
    near = upper.astype(np.float32)
    ties = [(near.astype(float) + np.nextafter(near, np.float32(way)).astype(float)) / 2 for way in (-9, 9)]
    assert min((abs(upper - tie) / upper).min() for tie in ties) > 1e-12
    assert sha256(normals(KEYS[:100], 0, 1000).astype("<f4").tobytes()).hexdigest()[:16] == "1eaf40bc3d5abff1"

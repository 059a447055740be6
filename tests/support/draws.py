"""How many examples property tests draw: some by default, more together with the heavy tests."""

from hypothesis import HealthCheck, settings

DEFAULT, THOROUGH = "project", "thorough"

# A machine may be busy: no example is wrong because it took long (pytest-timeout ends what hangs).
# Networks are large values, too.
PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
settings.register_profile(DEFAULT, deadline=None, suppress_health_check=PATIENT, max_examples=10)
settings.register_profile(THOROUGH, settings.get_profile(DEFAULT), max_examples=100)


def examples(few: int, many: int) -> int:
    """`few`, or `many` together with the heavy tests: for tests whose examples take longer, or less, than most."""
    return many if settings.get_current_profile_name() == THOROUGH else few

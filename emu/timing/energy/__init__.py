"""Energy: counts of actions times prices, and static power times time."""

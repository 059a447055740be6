"""The version of the objects of --json, whoever prints them."""

SCHEMA = 1  # goes up when a field goes, or means something else (docs/json.md)

"""What happens to a run that does not go well: deaths, standstill, stopped processes, timeouts, and their errors."""

"""Who waits for whom and where: deadlocks and losses, as values and as sentences."""

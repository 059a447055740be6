"""What a chip description says of the chip as a whole: how many of each component, sums, what figures are missing."""

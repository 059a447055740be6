"""What a chip's description says about time, energy and area: figures per component, counts and sums."""

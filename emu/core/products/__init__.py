"""Products of f32 matrices of which a row has the same bits whatever is multiplied beside it."""

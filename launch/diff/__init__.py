"""The comparison of two images: the first differences of their programs, and the first tensor that differs."""

"""How compiled models are called: arguments and results as trees of tensors, and what runs them, by name."""

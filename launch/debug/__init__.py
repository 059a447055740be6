"""The debugger for people: commands, expressions, tensors by name."""

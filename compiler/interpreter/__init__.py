"""What the operations of every level of IR mean: a reference interpreter, which knows nothing of how they are made."""

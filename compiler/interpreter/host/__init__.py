"""What host programs mean: `func`, `arith`, `math`, `tensor`, `linalg` and `scf` on NumPy arrays."""

"""Two images side by side: where their programs part, and the first tensor of which the values do."""

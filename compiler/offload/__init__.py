"""From host programs on tensors to calls of a device: contractions are found, brought into one form, tiled, lowered."""

"""The physics of an array group: numbers to conductances and voltages, what cells and wires do, and back to numbers."""

"""Networks whose products run on the crossbars of a device, and all else in the interpreter of the levels."""

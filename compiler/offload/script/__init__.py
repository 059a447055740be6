"""Transform scripts: what their operations do to a payload, and the rules of their handles."""

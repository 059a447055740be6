"""Powered-on chips, as processes or in this process, and the flow of samples through them."""

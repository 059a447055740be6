"""All bind, learn addresses, say hello and start together."""

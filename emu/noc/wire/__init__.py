"""ZeroMQ sockets, keys, and the frames that travel through them."""

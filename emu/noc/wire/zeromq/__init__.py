"""ZeroMQ as the message library: its sockets and their options, keys, strangers at its ports, memory without a copy."""

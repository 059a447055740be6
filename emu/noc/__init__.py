"""The network: ports, transports, flow control, global memory, topology accounting."""

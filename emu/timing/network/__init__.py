"""How long a message is under way, and which links it passes."""

"""Several machines as one: agents on hosts, how they are placed, the link to them, images that travel."""

"""Images travel to hosts by content: what a host needs, a store of files by digest, and how they are sent."""

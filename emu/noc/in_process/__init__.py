"""All cores in one process: queues and a scheduler."""

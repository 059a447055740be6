"""Cutting: layers on whole tensors become computes on channel tiles that fit crossbars and share the work."""

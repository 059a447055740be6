"""Cutting: layers on whole tensors become computes on tiles that fit crossbars and share the work."""

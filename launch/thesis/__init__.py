"""The measurements of the thesis on channel-wise lowering in RAPTOR, repeated here: docs/thesis.md."""

"""Programs of other people: read into images, and what people are told about that."""

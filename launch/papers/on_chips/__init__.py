"""Standard networks as int8 on the chips that papers describe: what is measured, and multiplications of a network."""

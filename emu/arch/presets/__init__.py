"""Architecture presets: one TOML file each, found by file name."""

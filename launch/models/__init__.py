"""What runs compiled models: cores in this process, processes of cores, or a device."""

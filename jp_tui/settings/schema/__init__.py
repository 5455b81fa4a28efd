"""The keys of the configuration, and what their values may be."""

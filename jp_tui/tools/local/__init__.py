"""Local tools: executables that the configuration names."""

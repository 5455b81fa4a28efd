"""Local tools: executables named in the configuration."""

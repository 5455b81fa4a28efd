"""Changes to configuration files."""

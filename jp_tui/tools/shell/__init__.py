"""Parts of `shell_run`: command line, output, sandbox."""

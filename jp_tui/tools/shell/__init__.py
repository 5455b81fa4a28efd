"""What `shell_run` needs: the command's line, its output, its sandbox."""

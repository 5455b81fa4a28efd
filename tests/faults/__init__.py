"""Every way in which the program can end, stop and be cut off from its terminal."""

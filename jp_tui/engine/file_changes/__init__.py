"""Files that tools changed: the list, the summary of a turn, undo."""

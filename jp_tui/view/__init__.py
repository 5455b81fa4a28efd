"""Text and data shared by all front ends, pure: reducers, wording, trail. No I/O, no clock."""

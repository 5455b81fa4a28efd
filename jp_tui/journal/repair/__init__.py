"""What keeps a conversation file whole: noticing that it was taken away, reading what is left of a damaged one, and
putting a readable copy in its place (Z23, Z24)."""

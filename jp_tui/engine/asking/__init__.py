"""Questions: who is asked, what is shown, what was answered or allowed."""

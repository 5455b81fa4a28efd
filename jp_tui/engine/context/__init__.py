"""What the model is told beside the messages: instruction files, environment, and what of it is where."""

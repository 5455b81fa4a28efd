"""One response of the model, with its retries."""

"""Words that every front end uses: amounts, failures, links, models, diffs."""

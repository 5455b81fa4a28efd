"""Who answers a question, as a pure machine: facts and effects come out, nothing is done here."""

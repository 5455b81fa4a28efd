"""Pure state machine that routes and answers questions. It returns facts and effects and performs none of them."""

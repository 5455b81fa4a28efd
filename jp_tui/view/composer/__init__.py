"""The composer: commands, mentions, pastes, history."""

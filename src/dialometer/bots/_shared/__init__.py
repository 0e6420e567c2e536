"""What all bots share: asking them, outcomes, messages, the turn loop."""

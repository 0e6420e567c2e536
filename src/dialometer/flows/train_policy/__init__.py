"""train a policy: fine-tune a bot with a reward."""

"""Fine-tuning with a reward: rollouts, REINFORCE, degenerate replies (Deriu and Cieliebak 2019, §5.2)."""

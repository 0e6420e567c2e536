"""Learning by reward: a trained bot talks with itself or a partner, and a judge rewards what it says."""

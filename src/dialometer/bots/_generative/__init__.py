"""What bots with a trained network share: options, training, generation, EI regularisation."""

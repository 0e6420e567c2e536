"""Conversations turn by turn: which replies there are, which conversations are set side by side, and the pictures of them."""

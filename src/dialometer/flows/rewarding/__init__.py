"""Steps of learning by reward: who judges, what is measured beside it, when it must stop, what is kept."""

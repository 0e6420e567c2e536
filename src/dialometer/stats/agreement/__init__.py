"""Agreement between raters, and labels from several of them."""

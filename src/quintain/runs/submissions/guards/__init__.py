"""Guards: names, texts and cards that are neither stored nor published."""

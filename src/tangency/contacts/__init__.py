"""Contact queries, contact(), Pair and Bodies, and their result."""

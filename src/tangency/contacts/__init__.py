"""What a contact query answers, and the ways to ask: contact(), Pair, Bodies."""

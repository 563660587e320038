"""Time of impact: proofs that moving bodies stay apart, step by step until they touch."""

"""Compare tangency with other engines on the same pairs: ./benchmarks/run, or python -m benchmarks."""

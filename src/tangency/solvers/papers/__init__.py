"""The methods of the papers, and GJK for comparison."""

"""The command line ``tangency``: one file per subcommand."""

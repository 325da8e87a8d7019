"""The command line as a contract: transcripts, terminals, pipes, start-up, and texts that nobody foresaw."""

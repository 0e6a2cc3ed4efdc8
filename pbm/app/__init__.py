"""Where concrete things meet: settings become a server, and `pbm serve` runs it."""

"""Player accounts: allowed handles, and passwords cleared by an upgrade."""

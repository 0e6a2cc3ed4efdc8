"""How processes on one database work together: notification and locks."""

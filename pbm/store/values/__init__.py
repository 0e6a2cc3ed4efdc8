"""The results of the store: frozen values of the domain, never rows."""

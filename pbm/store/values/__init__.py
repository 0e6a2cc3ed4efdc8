"""What the store gives back: frozen values of the domain, never rows."""

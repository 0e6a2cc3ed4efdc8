"""What `pbm-admin` does. Any function may raise OperatorError, which says what is wrong."""

"""Public pages, for who follows games in a browser. They are read, and write nothing."""

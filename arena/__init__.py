"""How strong the robots are, by games that they play: `make arena`."""

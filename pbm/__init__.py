"""pbm: a play-by-mail game server. Start reading at `pbm.service.turn`."""

"""The queues, whose rows workers claim: inbox, outbox, timers and search jobs."""

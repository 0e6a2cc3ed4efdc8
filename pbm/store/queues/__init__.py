"""The queues: rows that a worker claims, such as mails in and out, timers and jobs."""

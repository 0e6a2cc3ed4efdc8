"""The channels on which workers are notified of new rows."""

from enum import StrEnum


class Channel(StrEnum):
    """A channel on which the workers of one queue are notified of new rows."""

    MAIL_KEPT = "pbm_mail_kept"
    MAIL_WRITTEN = "pbm_mail_written"
    TIMER_SET = "pbm_timer_set"
    JOB_ADDED = "pbm_job_added"

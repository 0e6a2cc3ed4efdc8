"""Takes in mail: checks recipients and limits, and stores mails before the `250` reply of SMTP."""

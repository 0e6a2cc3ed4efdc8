"""What is thought about apart from turns: robots' moves, and what people ask a robot.

`registry` says what is to be computed for each kind of thought and what is done with the answer,
`machine` leases thoughts and concludes them, `minds` are the processes that compute.
"""

"""The post: renders and sends the outbox, and handles bounces."""

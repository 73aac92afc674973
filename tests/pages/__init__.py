"""Every page through AppTest, without a browser."""

"""Time against samples, and the distinguisher: the exhibits of pseudorandom points."""

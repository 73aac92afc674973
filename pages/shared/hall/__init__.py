"""In the lecture hall: the presenter view, its scenes, and predicting first."""

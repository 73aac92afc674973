"""The parameters of a page: in a link, in a session, and which there are."""

"""What people take away: files, a zip, an HTML file, a link to share."""

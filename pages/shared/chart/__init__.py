"""The one chart: what it is sent, how it is drawn and saved in the browser."""

"""What δ buys: pure against approximate privacy, for every class that has learners of both."""

from pages.shared.page import slack

if __name__ == "__main__":  # Streamlit runs a page so; whoever imports it wants its fields alone
    slack.show()

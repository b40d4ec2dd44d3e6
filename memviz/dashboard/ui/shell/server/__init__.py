"""The checks before the pages: every request passes here before Streamlit sees it."""

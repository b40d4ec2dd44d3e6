"""The Streamlit pieces that pages share."""

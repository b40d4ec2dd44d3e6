"""Numbers into Plotly figures, one chart a file. No Streamlit."""

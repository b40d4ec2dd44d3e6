"""Numbers into Plotly figures. No Streamlit, and no chart asks a strategy or a model.

Begin with the parts of figures (``grammar``), ``figure_over_turns`` (``figure``), the
colours (``palette``) and ``SettingRun`` (``setting_run``), what charts of settings
take.
"""

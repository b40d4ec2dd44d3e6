"""Who may use the dashboard, and what its visitors may use of the machine that it runs on."""

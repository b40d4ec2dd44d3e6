"""Access to the dashboard: the password, the browsers that are in, and what its
visitors may use of the machine that it runs on."""

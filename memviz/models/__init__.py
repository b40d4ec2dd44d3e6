"""Who answers and who summarizes."""

"""What the Gemini API and the Gemini CLI write."""

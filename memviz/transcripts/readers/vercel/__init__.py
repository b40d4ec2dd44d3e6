"""What Vercel's AI SDK writes."""

"""What LlamaIndex writes."""

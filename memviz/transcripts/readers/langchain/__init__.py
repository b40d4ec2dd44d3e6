"""What LangChain and LangGraph write."""

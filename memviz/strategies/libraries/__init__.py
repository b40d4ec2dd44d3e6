"""Objects of real libraries at work on one conversation, one library a module.

Each takes the messages of the log in, asks memviz's summarizer where the library asks its model, counts contents with
memviz's counter, and hands back what the library would send. A library is imported when its object is made.
"""

CREATE TABLE message_store (id INTEGER NOT NULL, session_id TEXT, message TEXT, PRIMARY KEY (id));
INSERT INTO message_store VALUES (1, 'anna', '{"type": "human", "data": {"content": "Where''s my key?", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": null, "id": null}}');
INSERT INTO message_store VALUES (2, 'ben', '{"type": "human", "data": {"content": "Hello", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": null, "id": null}}');
INSERT INTO message_store VALUES (3, 'anna', '{"type": "ai", "data": {"content": "In the bowl.", "additional_kwargs": {}, "response_metadata": {}, "type": "ai", "name": null, "id": null}}');
INSERT INTO message_store VALUES (4, 'ben', '{broken');
INSERT INTO message_store VALUES (5, 'ben', '{"type": "ai", "data": {"content": "Hi Ben.", "additional_kwargs": {}, "response_metadata": {}, "type": "ai", "name": null, "id": null}}');

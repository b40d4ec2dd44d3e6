CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_data TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
INSERT INTO agent_sessions VALUES ('anna', '2026-04-01 09:00:00', '2026-04-01 09:00:00');
INSERT INTO agent_messages VALUES (1, 'anna', '{"role": "user", "content": "Which bus?"}', '2026-04-01 09:00:01');
INSERT INTO agent_messages VALUES (2, 'anna', '{"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Look it up."}], "encrypted_content": "x"}', '2026-04-01 09:00:02');
INSERT INTO agent_messages VALUES (3, 'ben', '{"role": "user", "content": "Hello"}', '2026-04-01 09:00:03');
INSERT INTO agent_messages VALUES (4, 'anna', '{"type": "function_call", "id": "fc", "call_id": "c1", "name": "bus", "arguments": "{\"to\": \"lake\"}", "status": "completed"}', '2026-04-01 09:00:04');
INSERT INTO agent_messages VALUES (5, 'anna', '{"type": "function_call_output", "call_id": "c1", "output": "12"}', '2026-04-01 09:00:05');
INSERT INTO agent_messages VALUES (6, 'anna', '{"type": "message", "role": "assistant", "id": "m", "status": "completed", "content": [{"type": "output_text", "text": "Bus 12.", "annotations": []}]}', '2026-04-01 09:00:06');

BEGIN TRANSACTION;
CREATE TABLE messages(id text, session_id text, role text, parts text, model text, created_at int, updated_at int, finished_at int);
INSERT INTO "messages" VALUES('1','s','user','[{"type": "text", "data": {"text": "Hi"}}]','m',1700000000,0,0);
INSERT INTO "messages" VALUES('2','s','assistant','[{"type": "reasoning", "data": {"thinking": "Hmm"}}, {"type": "text", "data": {"text": "Let me"}}, {"type": "tool_call", "data": {"id": "t", "name": "ls", "input": "{}", "finished": true}}, {"type": "finish", "data": {"reason": "tool_use"}}]','m',1700000001,0,0);
INSERT INTO "messages" VALUES('3','s','tool','[{"type": "tool_result", "data": {"tool_call_id": "t", "name": "ls", "content": "a.txt", "is_error": false}}]','m',1700000002,0,0);
INSERT INTO "messages" VALUES('4','s','assistant','[{"type": "text", "data": {"text": "One."}}, {"type": "finish", "data": {}}]','m',1700000003,0,0);
CREATE TABLE sessions(id text, parent_session_id text, title text, created_at int);
COMMIT;

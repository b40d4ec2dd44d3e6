BEGIN TRANSACTION;
CREATE TABLE ItemTable (key text unique on conflict replace, value blob);
INSERT INTO "ItemTable" VALUES('workbench.panel.aichat.view.aichat.chatdata','{"tabs": [{"tabId": "x", "chatTitle": "Sorting", "bubbles": [{"type": "user", "id": "1", "text": "How do I sort a list?"}, {"type": "ai", "id": "2", "rawText": "Call sorted on it."}]}]}');
COMMIT;

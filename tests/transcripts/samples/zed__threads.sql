CREATE TABLE threads (
  id TEXT PRIMARY KEY,
  summary TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  data_type TEXT NOT NULL,
  data BLOB NOT NULL
);
INSERT INTO threads VALUES ('1', 'A bug', '2025-09-01T10:00:00Z', 'zstd', X'28b52ffd60a601ed0b0096184722306faa0300e129c9e8850241d6e48fb007b5e4d974ad7893d7931b324b1a911111823e003f003a004e7f0a1f2e259c0eb55110aae43e8f4028219450c3a181040c9040c1001ab8d3572d105d0599c4fbbc891346b8d395eddafb1c29040abad39b5bf069c565152ae2846ddaa2682b221b84e998f3533a0040b931874f510c0623295bcc9dbe5ebcdca60b973ef307bbdc96e1f2aa08c4853a6cd36dee719fc73b1db22e0370dd67dee9915593cbfb7cca3b7de3a4adc542bdfb5cd9621688d22751ed3e6facc207e69c4abcaac0586c4ed71757b566c1fb5ca1708ed9ad35d3719544a80df799732acdad7db4c8581bc346771f878442a618a73ff79e2e702d0ae3c29c6b2c5c16a1be8539b7f771cca9f1add375954d24eeb10423004833d8d80594180fb459f82d8094c570b203ec6c58db1ae8db768dedb116f300b50511c3b96ab002e63ea853d4e622c8d06ba27bf31fa0855b3d07889aab66040c8bf104cbcbb1d6eee8778dc188b8ea27e4456388a5d0dc4d301505');
INSERT INTO threads VALUES ('2', 'Before', '2025-06-01T10:00:00Z', 'json', CAST('{"version": "0.2.0", "summary": "Before", "updated_at": "2025-06-01T10:00:00Z", "messages": [{"id": 0, "role": "user", "segments": [{"type": "text", "text": "Hi"}], "tool_uses": [], "tool_results": [], "context": ""}, {"id": 1, "role": "assistant", "segments": [{"type": "text", "text": "I look."}], "tool_uses": [{"id": "t", "name": "ls", "input": {"p": 1}}], "tool_results": [{"tool_use_id": "t", "is_error": false, "content": {"Text": "x"}, "output": null}], "context": ""}]}' AS BLOB));

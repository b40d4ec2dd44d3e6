CREATE TABLE llama_index_memory (id INTEGER NOT NULL, "key" VARCHAR NOT NULL, timestamp BIGINT NOT NULL, role VARCHAR NOT NULL, status VARCHAR NOT NULL, data JSON NOT NULL, PRIMARY KEY (id));
INSERT INTO llama_index_memory VALUES (1, 's1', 1795244382373912877, 'user', 'archived', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Oldest."}]}');
INSERT INTO llama_index_memory VALUES (2, 's1', 1795244382373972039, 'assistant', 'archived', '{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Old."}]}');
INSERT INTO llama_index_memory VALUES (3, 's1', 1795244382374000000, 'assistant', 'active', '{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Newest."}]}');
INSERT INTO llama_index_memory VALUES (4, 's1', 1795244382373990000, 'user', 'active', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Newer."}]}');
INSERT INTO llama_index_memory VALUES (5, 's2', 1795244382375000000, 'user', 'active', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Other."}]}');

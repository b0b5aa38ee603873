PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('treesystem-1');
INSERT INTO grdb_migrations VALUES('sharing-1');
INSERT INTO grdb_migrations VALUES('todo-1');
CREATE TABLE account (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  user BLOB NOT NULL CHECK (length(user) = 20),
  handle TEXT NOT NULL,
  server TEXT NOT NULL,
  device BLOB NOT NULL CHECK (length(device) = 16),
  sign_seed BLOB NOT NULL CHECK (length(sign_seed) = 32),
  box_secret BLOB NOT NULL CHECK (length(box_secret) = 32),
  root BLOB CHECK (length(root) = 32),
  -- the sign-up as it was sent, until the server confirmed it
  sign_up BLOB,
  synced INTEGER
) STRICT;
CREATE TABLE user_keys (
  generation INTEGER PRIMARY KEY CHECK (generation > 0),
  secret BLOB NOT NULL CHECK (length(secret) = 32)
) STRICT;
CREATE TABLE keyrings (
  user BLOB NOT NULL CHECK (length(user) = 20),
  position INTEGER NOT NULL CHECK (position > 0),
  entry BLOB NOT NULL,
  PRIMARY KEY (user, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE branches (
  id INTEGER PRIMARY KEY,
  -- a trunk has none before there is an account
  cloud_id BLOB UNIQUE CHECK (length(cloud_id) = 16),
  trunk TEXT UNIQUE CHECK (trunk IN ('home', 'prefs', 'outbox', 'inbox')),
  first_permissions BLOB CHECK (length(first_permissions) = 32),
  -- the cursor
  line INTEGER NOT NULL DEFAULT 0 CHECK (line >= 0),
  log_hash BLOB CHECK (length(log_hash) = 32),
  -- why the branch cannot be read any further, and since when
  trouble TEXT,
  trouble_since INTEGER,
  CHECK (cloud_id IS NOT NULL OR trunk IS NOT NULL)
) STRICT;
INSERT INTO branches VALUES(1,NULL,'home',NULL,0,NULL,NULL,NULL);
INSERT INTO branches VALUES(2,NULL,'prefs',NULL,0,NULL,NULL,NULL);
INSERT INTO branches VALUES(3,NULL,'outbox',NULL,0,NULL,NULL,NULL);
INSERT INTO branches VALUES(4,NULL,'inbox',NULL,0,NULL,NULL,NULL);
INSERT INTO branches VALUES(5,X'2a85fff72ed3fdb39b46e884e3758d55',NULL,NULL,0,NULL,NULL,NULL);
CREATE TABLE lines (
  branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
  cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  log_hash BLOB NOT NULL CHECK (length(log_hash) = 32),
  PRIMARY KEY (branch, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE permissions (
  branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  version INTEGER NOT NULL CHECK (version > 0),
  line INTEGER NOT NULL CHECK (line > 0),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  record BLOB NOT NULL,
  PRIMARY KEY (branch, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE branch_keys (
  branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL CHECK (epoch > 0),
  key BLOB NOT NULL CHECK (length(key) = 32),
  PRIMARY KEY (branch, epoch)
) STRICT, WITHOUT ROWID;
CREATE TABLE node_states (
  branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
  version INTEGER NOT NULL CHECK (version > 0),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
  parent BLOB CHECK (length(parent) = 16),
  token BLOB CHECK (length(token) = 32),
  header BLOB,
  PRIMARY KEY (branch, cloud_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE quarantine (
  branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  row BLOB NOT NULL,
  PRIMARY KEY (branch, line)
) STRICT, WITHOUT ROWID;
CREATE TABLE waiting (
  branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  row BLOB NOT NULL,
  PRIMARY KEY (branch, line)
) STRICT, WITHOUT ROWID;
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  parent INTEGER REFERENCES nodes (id) ON DELETE CASCADE,
  cloud_id BLOB CHECK (length(cloud_id) = 16),
  name TEXT NOT NULL,
  name_key BLOB CHECK (length(name_key) = 32),
  node_key BLOB CHECK (length(node_key) = 32),
  author BLOB CHECK (length(author) = 20),
  pointer INTEGER REFERENCES branches (id),
  -- what this user calls the branch that hangs here
  alias TEXT CHECK (alias <> ''),
  UNIQUE (branch, cloud_id),
  CHECK (parent IS NOT NULL OR name = '')
) STRICT;
INSERT INTO nodes VALUES(1,1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO nodes VALUES(2,2,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO nodes VALUES(3,3,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO nodes VALUES(4,4,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO nodes VALUES(5,5,NULL,X'2a85fff72ed3fdb39b46e884e3758d55','',NULL,NULL,NULL,NULL,NULL);
INSERT INTO nodes VALUES(6,1,1,X'dee04f3f984f614932b418fe128fafb2','u3uho4jewojiupwb46aa57kgyi',NULL,NULL,NULL,5,NULL);
INSERT INTO nodes VALUES(7,5,5,X'786f2fcf79c961b0a97ff60ab7a5639e','w7gibetczv4gqoluvujkc74cpa',NULL,NULL,NULL,NULL,NULL);
INSERT INTO nodes VALUES(8,5,5,X'b6885f70ab8983d54a8eb0c7d6baa5bd','w34feozscdgqb3nm4fekor6ike',NULL,NULL,NULL,NULL,NULL);
INSERT INTO nodes VALUES(9,5,5,X'80b4d586043df3ed017168334fb8b5a5','m3ennhzswqiz2zelnaah2exjui',NULL,NULL,NULL,NULL,NULL);
CREATE TABLE links (
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  node INTEGER NOT NULL UNIQUE REFERENCES nodes (id) ON DELETE CASCADE,
  PRIMARY KEY (collection, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE tags (
  node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
  identifier TEXT NOT NULL,
  tag BLOB NOT NULL,
  PRIMARY KEY (node, identifier)
) STRICT, WITHOUT ROWID;
CREATE TABLE operations (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  operation BLOB NOT NULL UNIQUE CHECK (length(operation) = 16),
  kind TEXT NOT NULL CHECK (kind IN ('put', 'delete', 'permit', 'copy')),
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sealed', 'refused')),
  branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  node INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
  cloud_id BLOB CHECK (length(cloud_id) = 16),
  -- what a permit or copy is about; a permit without user makes the branch
  user BLOB CHECK (length(user) = 20),
  letters INTEGER,
  read_line INTEGER,
  read_hash BLOB CHECK (length(read_hash) = 32),
  sealed BLOB,
  reason TEXT,
  created INTEGER NOT NULL,
  CHECK ((state = 'sealed') = (sealed IS NOT NULL)),
  CHECK ((state = 'refused') = (reason IS NOT NULL))
) STRICT;
INSERT INTO operations VALUES(1,X'0d9c441f332eccf8b4943af4371a2bf9','permit','pending',5,NULL,X'2a85fff72ed3fdb39b46e884e3758d55',NULL,NULL,NULL,NULL,NULL,NULL,1795211566130);
INSERT INTO operations VALUES(2,X'3a1c86fe97cce355c9d1eee7c523b558','put','pending',5,5,X'2a85fff72ed3fdb39b46e884e3758d55',NULL,NULL,NULL,NULL,NULL,NULL,1795211566131);
INSERT INTO operations VALUES(3,X'7f46ced695dbb3cd6f9f019cb58d4c85','put','pending',1,6,X'dee04f3f984f614932b418fe128fafb2',NULL,NULL,NULL,NULL,NULL,NULL,1795211566131);
INSERT INTO operations VALUES(4,X'8c3972aec6b46950516470ffb460bff7','put','pending',5,7,X'786f2fcf79c961b0a97ff60ab7a5639e',NULL,NULL,NULL,NULL,NULL,NULL,1795211566133);
INSERT INTO operations VALUES(5,X'5b849a595c5811c4bffdc1ddb69bdcdd','put','pending',5,8,X'b6885f70ab8983d54a8eb0c7d6baa5bd',NULL,NULL,NULL,NULL,NULL,NULL,1795211566134);
INSERT INTO operations VALUES(6,X'09473ef307fc48320843b1ab4e2d3a81','put','pending',5,9,X'80b4d586043df3ed017168334fb8b5a5',NULL,NULL,NULL,NULL,NULL,NULL,1795211566134);
CREATE TABLE dependencies (
  operation INTEGER NOT NULL REFERENCES operations (sequence) ON DELETE CASCADE,
  needs INTEGER NOT NULL REFERENCES operations (sequence) ON DELETE CASCADE,
  PRIMARY KEY (operation, needs)
) STRICT, WITHOUT ROWID;
CREATE TABLE people (
  user BLOB PRIMARY KEY CHECK (length(user) = 20),
  -- pinned at first contact: from then on the handle means this person here
  handle TEXT NOT NULL,
  first_seen INTEGER NOT NULL
) STRICT;
CREATE TABLE outgoing (
  node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
  message BLOB NOT NULL
) STRICT;
CREATE TABLE invites (
  -- never reused, so that a number in somebody's scrollback stays true
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  node INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
  sender BLOB NOT NULL CHECK (length(sender) = 20),
  branch BLOB NOT NULL CHECK (length(branch) = 16),
  first_permissions BLOB NOT NULL CHECK (length(first_permissions) = 32),
  title TEXT NOT NULL,
  note TEXT NOT NULL,
  letters INTEGER NOT NULL,
  received INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'accepted', 'declined'))
) STRICT;
CREATE TABLE replica (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  bytes BLOB NOT NULL CHECK (length(bytes) = 8)
) STRICT;
INSERT INTO replica VALUES(1,X'81b6a577638cd941');
CREATE TABLE lists (
  node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
  document BLOB NOT NULL,
  history BLOB NOT NULL,
  -- what follows is read from the document
  title TEXT NOT NULL,
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO lists VALUES(5,X'0a1b08011204536f6c6f1a1108b5b8cad79f34120881b6a577638cd9410a1f08031208000001a1faf29c331a1108b4b8cad79f34120881b6a577638cd9410a1b080412046c6973741a1108b3b8cad79f34120881b6a577638cd941121108b5b8cad79f34120881b6a577638cd941',X'','Solo',0,1795211566131);
CREATE TABLE todos (
  node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
  list INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
  todo_id TEXT NOT NULL,
  document BLOB NOT NULL,
  history BLOB NOT NULL,
  -- what follows is read from the document
  title TEXT NOT NULL,
  folded TEXT NOT NULL,
  -- 'other' is a kind of node that a newer version made: kept, and not shown
  state TEXT NOT NULL CHECK (state IN ('open', 'done', 'trash', 'other')),
  created_at INTEGER NOT NULL,
  done_at INTEGER,
  -- its place among those of its state: when it came there
  place INTEGER NOT NULL,
  CHECK (state <> 'done' OR done_at IS NOT NULL)
) STRICT;
INSERT INTO todos VALUES(7,5,'w7gibetczv4gqoluvujkc74cpa',X'0a1c08011205616c6f6e651a1108b7b8cad79f34120881b6a577638cd9410a1f08031208000001a1faf29c351a1108b6b8cad79f34120881b6a577638cd9410a1b08041204746f646f1a1108b5b8cad79f34120881b6a577638cd941121108b7b8cad79f34120881b6a577638cd941',X'','alone','alone','open',1795211566133,NULL,1795211566133);
INSERT INTO todos VALUES(8,5,'w34feozscdgqb3nm4fekor6ike',X'0a210801120a646f6e6520616c6f6e651a1108b7b8cad79f34120881b6a577638cd9410a1f08021208000001a1faf29c531a1108d3b8cad79f34120881b6a577638cd9410a1f08031208000001a1faf29c361a1108b6b8cad79f34120881b6a577638cd9410a1b08041204746f646f1a1108b5b8cad79f34120881b6a577638cd941121108d3b8cad79f34120881b6a577638cd941',X'','done alone','done alone','done',1795211566134,1795211566163,1795211566163);
INSERT INTO todos VALUES(9,5,'m3ennhzswqiz2zelnaah2exjui',X'0a210801120a676f6e6520616c6f6e651a1108b7b8cad79f34120881b6a577638cd9410a1f08031208000001a1faf29c371a1108b6b8cad79f34120881b6a577638cd9410a1b08041204746f646f1a1108b5b8cad79f34120881b6a577638cd941121108b7b8cad79f34120881b6a577638cd9411a1108b7b8cad79f34120881b6a577638cd941',X'','gone alone','gone alone','trash',1795211566135,NULL,1795211566135);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('operations',6);
CREATE INDEX lines_of_node ON lines (branch, cloud_id, number);
CREATE INDEX states_by_place ON node_states (branch, parent, token);
CREATE UNIQUE INDEX nodes_by_name ON nodes (parent, name);
CREATE INDEX nodes_by_pointer ON nodes (pointer) WHERE pointer IS NOT NULL;
CREATE UNIQUE INDEX roots ON nodes (branch) WHERE parent IS NULL;
CREATE INDEX operations_of_node ON operations (branch, cloud_id);
CREATE INDEX operations_by_node ON operations (node) WHERE node IS NOT NULL;
CREATE INDEX permits ON operations (branch) WHERE kind = 'permit';
CREATE INDEX dependents ON dependencies (needs);
CREATE INDEX people_by_handle ON people (handle);
CREATE UNIQUE INDEX open_invites ON invites (sender, branch) WHERE state = 'open';
CREATE TRIGGER account_left AFTER DELETE ON account BEGIN
  DELETE FROM people;
  DELETE FROM invites;
END;
CREATE INDEX todos_in_order ON todos (list, state, place, todo_id);
CREATE INDEX todos_by_id ON todos (todo_id);
CREATE INDEX todos_by_title ON todos (folded) WHERE state = 'open';
COMMIT;

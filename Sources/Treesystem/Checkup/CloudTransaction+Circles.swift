import GRDB

extension CloudTransaction {
  /// The numbers of changes that wait for each other, so that none of them is ever sent. There should be none.
  public func waitingInCircles() throws -> [Int64] {
    var waits = Waits()
    for row in try Row.fetchAll(db, sql: Self.waits) { waits.add(row[0], for: row[1]) }
    return waits.inCircles()
  }

  /// What `PushPlan` has each operation wait for.
  private static let waits = """
    SELECT operation, needs FROM dependencies
    -- one that was queued before it for the same node
    UNION SELECT o.sequence, e.sequence FROM operations o JOIN operations e ON e.branch = o.branch
      AND e.cloud_id IS o.cloud_id AND (e.kind = 'permit') = (o.kind = 'permit') AND e.sequence < o.sequence
      WHERE e.state <> 'refused' AND e.kind <> 'permit'
    -- a name that a deletion is to free
    UNION SELECT o.sequence, r.operation FROM operations o JOIN nodes n ON n.id = o.node JOIN nodes p ON p.id = n.parent
      JOIN branches b ON b.id = p.branch
      JOIN removed r ON r.branch = p.branch AND r.parent = coalesce(p.cloud_id, b.cloud_id) AND r.name = n.name
      WHERE o.kind = 'put' AND o.state = 'pending' AND r.cloud_id IS NOT n.cloud_id
        AND NOT EXISTS (SELECT 1 FROM dependencies d JOIN operations q ON q.sequence = d.needs
          WHERE d.operation = r.operation AND q.node = n.id)
    -- what left a branch has to arrive elsewhere first, and a message to stand in the outbox
    UNION SELECT d.operation, p.sequence FROM departures d JOIN operations p ON p.node = d.node AND p.kind = 'put'
    UNION SELECT c.sequence, p.sequence FROM operations c JOIN operations p ON p.node = c.node AND p.kind = 'put'
      WHERE c.kind = 'copy' AND p.state <> 'refused'
    -- the parent, where the server does not have it
    UNION SELECT o.sequence, e.sequence FROM operations o JOIN nodes n ON n.id = o.node
      JOIN operations e ON e.node = n.parent AND e.kind = 'put'
      WHERE o.kind = 'put' AND o.state = 'pending' AND NOT EXISTS (SELECT 1 FROM node_states s
        WHERE s.branch = e.branch AND s.cloud_id = e.cloud_id AND s.deleted = 0)
    """
}

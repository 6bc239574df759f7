import type { ReactNode } from "react";
import type { ConnectionPool, SystemStatus } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useNow } from "../../shell/use-range.ts";

/** The process that answers, and what it runs on. */
export function RunningCard({
  of: { version, commit, schema, node, workers, process, database },
}: {
  of: SystemStatus;
}): ReactNode {
  const nowMs = useNow(10_000);
  const startedMs = Date.parse(process.started_at);
  return (
    <Card title="What runs here?" lead="The process that answers this page.">
      <Facts
        facts={[
          ["Tollgate", version],
          ["Commit", commit === null ? "not known" : <CopyText key="commit" text={commit} />],
          ["Schema", schema.edition === null ? schema.migration : `${schema.migration}, edition ${schema.edition}`],
          ["Node.js", node],
          ["Workers", `${workers} on this host`],
          ["Process", <CopyText key="id" text={process.id} />],
          [
            "Started",
            <span key="started">
              <Moment atMs={startedMs} /> · <Moment atMs={startedMs} nowMs={nowMs} />
            </span>,
          ],
          ["Database", databaseText(database)],
          ["For requests", poolText(database.pool)],
          [
            "For operators",
            database.operator_pool === null ? "the same connections" : poolText(database.operator_pool),
          ],
        ]}
      />
    </Card>
  );
}

function databaseText({ version, embedded }: SystemStatus["database"]): string {
  if (version === null) return "does not answer";
  return `PostgreSQL ${version}${embedded ? ", inside the process" : ""}`;
}

const poolText = (pool: ConnectionPool | null): string =>
  pool === null
    ? "one connection inside the process"
    : `${pool.open - pool.idle} of ${pool.most} connections in use, ${pool.idle} idle, ${pool.waiting} waiting`;

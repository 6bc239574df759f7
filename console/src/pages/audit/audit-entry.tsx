import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import type { AuditEntry } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Skeleton, Stateful } from "../../parts/state.tsx";
import { AuditOutcome } from "./audit-outcome.tsx";
import { changesOf, written } from "./changes-of.ts";
import { Diff } from "./diff.tsx";

/** One entry: who did what, and what it changed. */
export function AuditEntryPage(): ReactNode {
  const { entry: id } = useParams({ from: "/shell/audit/$entry" });
  const asked = useQuery(queryOf("GET /admin/v1/audit/{entry}", { params: { entry: id } }));
  return (
    <div className="flex flex-col gap-4">
      <Link to="/audit" search className="w-fit text-accent hover:underline">
        ← Audit log
      </Link>
      <Stateful shown={shownOf(asked, null)} height={400}>
        {asked.data === undefined ? <Skeleton height={400} /> : <Entry entry={asked.data} />}
      </Stateful>
    </div>
  );
}

function Entry({ entry }: { entry: AuditEntry }): ReactNode {
  const asked = Object.entries(entry.asked ?? {});
  return (
    <>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="text-page font-semibold">{entry.action}</h2>
        <AuditOutcome entry={entry} />
        <span className="text-ink-2">
          <Moment atMs={Date.parse(entry.at)} />
        </span>
      </header>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Card title="Who did what">
          <Facts
            rows={[
              ["actor", `${entry.actor}${entry.via === null ? "" : ` (${entry.via})`}`],
              ["address", entry.address],
              ["resource", `${entry.resource.kind} ${entry.resource.name ?? entry.resource.id ?? ""}`],
              ["request", entry.request_id],
              ["id", entry.id],
            ]}
          />
        </Card>
        <Card title="What was asked for">
          {asked.length === 0 ? (
            <p className="text-ink-2">Nothing beyond the action.</p>
          ) : (
            <Facts rows={asked.map(([name, value]) => [name, written(value)])} />
          )}
        </Card>
      </div>
      <Diff changes={changesOf(entry.before, entry.after)} />
      <div className="flex max-w-full min-w-0 flex-wrap items-center gap-2 text-small text-ink-2">
        The same in a terminal:
        <CopyText text={`tollgate audit show ${entry.id}`} />
      </div>
    </>
  );
}

const Facts = ({ rows }: { rows: readonly (readonly [string, string | null])[] }): ReactNode => (
  <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
    {rows.map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-ink-2">{name}</dt>
        <dd className="wrap-anywhere whitespace-pre-wrap">{value ?? <span className="text-ink-3">–</span>}</dd>
      </div>
    ))}
  </dl>
);

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Counter, Key, KeyFunds } from "../../api/generated/admin.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CounterList } from "../accounts/counter-list.tsx";
import { LimitDialog, RemoveLimitDialog } from "../accounts/limit-dialog.tsx";
import { thresholdsOf } from "../accounts/thresholds.ts";

type Open = { kind: "set"; counter: Counter | null } | { kind: "remove"; counter: Counter } | null;

/** Every purse and limit that a request of the key must pass. Its own limits can be changed here. */
export function KeyLimits({ of: key, funds }: { of: Key; funds: KeyFunds }): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const watched = useQuery(queryOf("GET /admin/v1/notices/thresholds", { query: { name: key.id } }));
  const holder = { kind: "key", id: key.id, name: key.label ?? `${key.prefix}…` } as const;
  const isOwnLimit = ({ kind, own, account_id: account }: Counter): boolean =>
    kind === "limit" && account === null && !own;
  const toolsOf = (counter: Counter): ReactNode => (
    <>
      <IconButton label="Change this limit" icon="settings" onClick={() => setOpen({ kind: "set", counter })} />
      <IconButton label="Remove this limit" icon="close" onClick={() => setOpen({ kind: "remove", counter })} />
    </>
  );
  return (
    <Card
      title="What can it still spend?"
      lead="A request must fit into all of these."
      actions={
        key.person_id === null && <Button onClick={() => setOpen({ kind: "set", counter: null })}>Add a limit</Button>
      }
    >
      {funds.counters.length === 0 ? (
        <p className="text-ink-2">
          Nothing pays for it yet, so its requests get 402. Top {key.person_id === null ? "it" : "its account"} up.
        </p>
      ) : (
        <CounterList
          counters={funds.counters}
          self={key.person_id === null ? "This key" : "This session"}
          thresholdsOf={(counter) => thresholdsOf(watched.data, counter)}
          tools={(counter) => isOwnLimit(counter) && toolsOf(counter)}
        />
      )}
      {open?.kind === "set" && <LimitDialog of={holder} counter={open.counter} onClose={() => setOpen(null)} />}
      {open?.kind === "remove" && (
        <RemoveLimitDialog of={holder} counter={open.counter} onClose={() => setOpen(null)} />
      )}
    </Card>
  );
}

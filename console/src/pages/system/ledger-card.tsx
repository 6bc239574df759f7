import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SystemStatus } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { utcMoment } from "../../format/time.ts";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Facts } from "../../parts/facts.tsx";
import { VerifyBadge } from "../ledger/verify-badge.tsx";

type Ledger = NonNullable<SystemStatus["ledger"]>;

/** Whether the books match and whether background tasks keep up. */
export const LedgerCard = ({ of: ledger }: { of: Ledger | null }): ReactNode => (
  <Card
    title="Is the ledger in order?"
    lead={
      <>
        Balances against the journal, and what background tasks have left. Entries are in the{" "}
        <Link to="/ledger" className="text-accent underline">
          ledger
        </Link>
        .
      </>
    }
  >
    <div className="flex flex-col gap-4">
      <VerifyBadge />
      {ledger === null ? (
        <p className="text-ink-2">The database does not answer.</p>
      ) : (
        <Facts facts={factsOf(ledger)} />
      )}
    </div>
  </Card>
);

const factsOf = ({ quarantined, unswept, misplaced, oldest_owed: owed, unpartitioned }: Ledger) =>
  [
    ["Quarantine", count(quarantined, "empty", "requests that could not be ended")],
    ["Sweep", count(unswept, "nothing waits", "reservations not swept for 2 minutes")],
    [
      "Hourly sums",
      owed === null ? verdict(true, "up to date", "") : verdict(false, "", `${utcMoment(Date.parse(owed))} is late`),
    ],
    [
      "Partitions",
      misplaced > 0
        ? count(misplaced, "", "charges in the default partition")
        : verdict(
            unpartitioned.length === 0,
            "today and the next 2 days have theirs",
            `missing for ${unpartitioned.join(", ")}`,
          ),
    ],
  ] as const;

const count = (found: number, none: string, words: string): ReactNode =>
  verdict(found === 0, none, `${groupDigits(found)} ${words}`);

const verdict = (isWell: boolean, well: string, wrong: string): ReactNode =>
  isWell ? <span className="text-ink-2">{well}</span> : <Badge tone="warn">{wrong}</Badge>;

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Sparkline } from "../../charts/sparkline.tsx";
import { groupDigits } from "../../format/money.ts";
import { DURATION, PERCENT, REQUESTS } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import type { Column } from "../../table/column.ts";
import { countColumn, textColumn } from "../../table/plain-columns.tsx";
import { bucketsIn, microseconds, type SeriesAnswer, valuesIn } from "../overview/series-of.ts";
import { stateName, stateTone } from "./route-state.tsx";
import { successShare, type ProviderRow } from "./use-provider-rows.ts";

const NONE = <span className="text-ink-3">–</span>;

export const ProviderBadge = ({ of: { state, skipped, routes } }: { of: ProviderRow }): ReactNode => (
  <Badge tone={stateTone(state)}>
    {state === "open" && routes.length > 1 ? `${skipped} of ${routes.length} skipped` : stateName(state)}
  </Badge>
);

const failuresOf = ({ total }: ProviderRow): number | null =>
  total === null
    ? null
    : ["upstream_error", "upstream_timeout", "provider_unavailable"].reduce(
        (sum, code) => sum + (total.codes[code] ?? 0),
        0,
      );

const ttftOf = ({ total }: ProviderRow): bigint | null => (total?.ttft ? microseconds(total.ttft.p95) : null);

const SUCCESS: Column<ProviderRow> = {
  id: "success",
  head: "Success",
  width: 92,
  align: "right",
  cell: ({ total }) => {
    const share = successShare(total);
    return share === null ? (
      NONE
    ) : (
      <span title="Of requests that asked it last, those that were delivered or left by their client">
        {PERCENT.show(share)}
      </span>
    );
  },
  sort: ({ total }) => successShare(total),
  plain: ({ total }) => PERCENT.plain(successShare(total) ?? 0n),
};

const FAILED: Column<ProviderRow> = countColumn("failed", "Failed", failuresOf, {
  width: 84,
  cell: (row) => {
    const failed = failuresOf(row);
    return failed === null ? (
      NONE
    ) : (
      <span title="upstream_error, upstream_timeout, provider_unavailable">{groupDigits(failed)}</span>
    );
  },
});

const FIRST_TOKEN: Column<ProviderRow> = {
  id: "ttft",
  head: "First token, p95",
  width: 124,
  align: "right",
  cell: (row) => {
    const p95 = ttftOf(row);
    return p95 === null ? NONE : <Amount value={p95} unit={DURATION} />;
  },
  sort: ttftOf,
  plain: (row) => DURATION.plain(ttftOf(row) ?? 0n),
};

const Requests = ({ of, answer }: { of: ProviderRow; answer: SeriesAnswer | undefined }): ReactNode =>
  of.total === null ? (
    NONE
  ) : (
    <span className="inline-flex items-center gap-3 align-middle">
      {answer && answer.points.length > 1 && (
        <Sparkline
          label="Requests"
          unit={REQUESTS}
          values={valuesIn(bucketsIn(answer), of.points, { of: ({ requests }) => BigInt(requests), none: 0n })}
        />
      )}
      <span className="min-w-14">{groupDigits(of.total.requests)}</span>
    </span>
  );

/** `answer`: what the rows' points belong to. */
export const providerColumns = (answer: SeriesAnswer | undefined): readonly Column<ProviderRow>[] => [
  textColumn("name", "Provider", ({ name }) => name, {
    cell: ({ name }) => (
      <Link to="/providers/$provider" params={{ provider: name }} tabIndex={-1} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  }),
  textColumn("state", "Routes are", ({ state }) => stateName(state), {
    width: 132,
    cell: (row) => <ProviderBadge of={row} />,
    sort: ({ state }) => state,
  }),
  SUCCESS,
  countColumn("requests", "Requests", ({ total }) => total?.requests ?? null, {
    width: 168,
    cell: (row) => <Requests of={row} answer={answer} />,
    plain: ({ total }) => String(total?.requests ?? 0),
  }),
  FAILED,
  FIRST_TOKEN,
  countColumn("limited", "429s", ({ rateLimited }) => rateLimited, {
    width: 72,
    cell: ({ rateLimited }) => (
      <span title="Calls that it rejected with 429, since this process first used it">{groupDigits(rateLimited)}</span>
    ),
  }),
  countColumn("routes", "Routes", ({ provider }) => provider?.routes.length ?? 0, { width: 76 }),
  {
    id: "credential",
    head: "Credential",
    width: 188,
    cell: ({ provider }) => provider && <Credential of={provider} />,
    plain: ({ provider }) => provider?.credential ?? "",
  },
  textColumn("address", "Address", ({ provider }) => provider?.base_url ?? null, {
    hidden: true,
    cell: ({ provider }) => <span title={provider?.base_url}>{provider?.base_url}</span>,
  }),
];

/** Where it is, and whether this gateway can read it; never the credential itself. */
export const Credential = ({
  of: { credential, credential_problem: problem },
}: {
  of: { credential: string; credential_problem: string | null };
}): ReactNode =>
  problem === null ? (
    <span className="font-mono text-small">{credential}</span>
  ) : (
    <span title={problem}>
      <Badge tone="bad">{credential}</Badge>
    </span>
  );

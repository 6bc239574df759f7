import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import type { KeyFunds, KeySecret, ShowKeyResponse } from "../../api/generated/admin.ts";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { readAmount, unitOf } from "../../format/counted.ts";
import { readCredits } from "../../format/money.ts";
import { DAY_MS } from "../../format/time.ts";
import { CREDITS, REQUESTS, TOKENS } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Figure, Figures } from "../../parts/figure.tsx";
import { BackLink, PageHead } from "../../parts/page-head.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Failure, Skeleton } from "../../parts/state.tsx";
import { KeyActions } from "./key-actions.tsx";
import { KEY_TONES } from "./key-columns.tsx";
import { KeyLimits } from "./key-limits.tsx";
import { KeyMayUse } from "./key-may-use.tsx";
import { SessionActions } from "./session-actions.tsx";

const DAYS = 30;

/** One key: what it has left, what it spends, what it may use. */
export function KeyPage(): ReactNode {
  const { key: name } = useParams({ from: "/shell/keys/$key" });
  const shown = useQuery(queryOf("GET /admin/v1/keys/{key}", { params: { key: name } }));
  const funds = useQuery({
    ...queryOf("GET /admin/v1/keys/{key}/funds", { params: { key: name } }),
    refetchInterval: 10_000,
  });
  const error = shown.error ?? funds.error;
  if (error) return <Failure error={error} height={400} retry={() => void (shown.refetch(), funds.refetch())} />;
  if (!shown.data || !funds.data) return <Skeleton height={400} />;
  return <Found shown={shown.data} funds={funds.data} />;
}

function Found({ shown: { key, secrets }, funds }: { shown: ShowKeyResponse; funds: KeyFunds }): ReactNode {
  const title = key.label ?? `${key.prefix}…`;
  const link = "text-accent underline";
  const { person_id: person } = key;
  return (
    <div className="flex flex-col gap-4">
      <PageHead
        back={
          person === null ? <BackLink to="/keys">Keys</BackLink> : <BackLink to="/sessions">Client sessions</BackLink>
        }
        title={
          <>
            {title}{" "}
            <Badge tone={KEY_TONES[key.status]}>
              {person !== null && key.status === "revoked" ? "ended" : key.status}
            </Badge>
          </>
        }
        lead={
          <>
            <code className="font-mono text-small">{key.prefix}…</code> ·{" "}
            {person !== null ? "client session" : key.mode === "credit" ? "pays with credit" : "has a token budget"} ·{" "}
            {person !== null && (
              <>
                <Link to="/people/$person" params={{ person }} className={link}>
                  person
                </Link>{" "}
                ·{" "}
              </>
            )}
            <Link to="/requests" search={{ key: key.id }} className={link}>
              requests
            </Link>{" "}
            ·{" "}
            <Link to="/ledger" search={{ key: key.id }} className={link}>
              ledger
            </Link>
          </>
        }
        actions={person === null ? <KeyActions of={key} funds={funds} /> : <SessionActions of={key} person={person} />}
      />
      <KeyFigures funds={funds} />
      <div className="grid gap-4 xl:grid-cols-2">
        <KeyLimits of={key} funds={funds} />
        <KeyUse id={key.id} unit={funds.unit} />
        {person === null && (
          <>
            <KeyMayUse of={key} />
            <Card title="Which secrets does it have?" lead="Only their beginnings are known; the rest is not stored.">
              <Secrets secrets={secrets} />
            </Card>
          </>
        )}
      </div>
    </div>
  );
}

function KeyFigures({ funds }: { funds: KeyFunds }): ReactNode {
  const unit = unitOf(funds.unit);
  const read = (text: string): bigint => readAmount(funds.unit, text);
  return (
    <Figures>
      <Figure label="Available" unit={unit} value={read(funds.available)} note="for new requests" />
      <Figure label="Reserved" unit={unit} value={read(funds.reserved)} note="by requests in progress" />
      <Figure label="Today (UTC)" unit={unit} value={read(funds.today)} />
      <Figure label="Spent" unit={CREDITS} value={readCredits(funds.spent)} note="since it was made" />
      <Figure label="Finished" unit={REQUESTS} value={BigInt(funds.requests)} />
      <Figure
        label="Input and output"
        unit={TOKENS}
        value={BigInt(funds.input_tokens) + BigInt(funds.output_tokens)}
        note={`${TOKENS.short(BigInt(funds.input_tokens))} in, ${TOKENS.short(BigInt(funds.output_tokens))} out`}
      />
    </Figures>
  );
}

function KeyUse({ id, unit }: { id: string; unit: KeyFunds["unit"] }): ReactNode {
  const usage = useQuery(queryOf("GET /admin/v1/keys/{key}/usage", { params: { key: id }, query: { days: DAYS } }));
  const days = usage.data?.days ?? [];
  const isEmpty = days.every(({ requests }) => requests === 0);
  return (
    <StackedChart
      title="How much does it use each day?"
      lead={`${unit === "credit" ? "Credits" : "Tokens"} charged, by day in UTC, ${DAYS} days`}
      unit={unitOf(unit)}
      buckets={{ startsMs: days.map(({ day }) => Date.parse(day)), stepMs: DAY_MS }}
      series={[
        {
          id: "use",
          name: "charged",
          values: days.map(({ credits, tokens }) => (unit === "credit" ? readCredits(credits) : BigInt(tokens))),
        },
      ]}
      shown={shownOf(usage, isEmpty ? { title: "It was not used in these 30 days" } : null)}
    />
  );
}

const SECRET_TONES = { active: "good", expired: "neutral", withdrawn: "neutral" } as const;

const Secrets = ({ secrets }: { secrets: readonly KeySecret[] }): ReactNode => (
  <Facts
    facts={secrets.map(({ prefix, status, created_at: made, expires_at: ends }) => [
      `${prefix}…`,
      <span key="state" className="flex flex-wrap items-center gap-x-3">
        <Badge tone={SECRET_TONES[status]}>{status}</Badge>
        <span className="text-ink-2">
          made <Moment atMs={Date.parse(made)} />
          {ends !== null && (
            <>
              {status === "active" ? ", works until " : ", worked until "}
              <Moment atMs={Date.parse(ends)} />
            </>
          )}
        </span>
      </span>,
    ])}
  />
);

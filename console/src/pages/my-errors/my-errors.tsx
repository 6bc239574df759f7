import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import type { HolderError } from "../../api/generated/holder.ts";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { CodeWords } from "../../parts/code-words.tsx";
import { Choice } from "../../parts/choice.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Stateful } from "../../parts/state.tsx";
import { useNow, useOwnSearch } from "../../shell/use-range.ts";

const SPANS = [
  { value: "1", name: "24 hours" },
  { value: undefined, name: "7 days" },
  { value: "31", name: "31 days" },
] as const;
const USUAL_DAYS = 7;

/** Errors by their codes, the most frequent first, each with its cause and what to do. */
export function MyErrors(): ReactNode {
  const { own, changeOwn } = useOwnSearch("/shell/errors");
  const chosen = SPANS.find(({ value }) => value === own.days)?.value;
  const days = Number(chosen ?? USUAL_DAYS);
  const nowMs = useNow(30_000);
  const asked = useQuery({
    ...queryOf("GET /me/errors", { query: { days } }),
    placeholderData: <Kept,>(kept: Kept) => kept,
  });
  const errors = asked.data?.data ?? [];
  const sum = errors.reduce((all, { count }) => all + count, 0);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <Choice label="Span" value={chosen} choices={SPANS} onChoose={(value) => changeOwn({ days: value })} />
        {asked.data && (
          <p className="text-ink-2">
            {groupDigits(sum)} of {groupDigits(asked.data.requests)} requests ended with an error. A response with an
            error status costs nothing.
          </p>
        )}
        <a
          href={`/me/errors.csv?days=${days}`}
          download="errors.csv"
          className="ml-auto px-2 text-small text-accent hover:underline"
        >
          Download as CSV
        </a>
      </div>
      <Stateful
        shown={shownOf(asked, errors.length === 0 ? { title: "No errors", hint: "Every request was answered." } : null)}
        height={240}
      >
        <ul className="flex flex-col gap-3">
          {errors.map((error) => (
            <li key={error.code}>
              <ErrorGroup error={error} days={days} nowMs={nowMs} />
            </li>
          ))}
        </ul>
      </Stateful>
    </div>
  );
}

const RANGES: Readonly<Record<number, string>> = { 1: "24h", 7: "7d", 31: "30d" };

type Parts = { error: HolderError; days: number; nowMs: number };

const ErrorGroup = ({ error, days, nowMs }: Parts): ReactNode => (
  <Card>
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <h2 className="font-mono text-title font-semibold wrap-anywhere">{error.code}</h2>
      <Badge tone="warn">
        {groupDigits(error.count)} {error.count === 1 ? "time" : "times"}
      </Badge>
      {error.last_at !== null && (
        <span className="text-small text-ink-3">
          last <Moment atMs={Date.parse(error.last_at)} nowMs={nowMs} />
        </span>
      )}
      <Link
        to="/requests"
        search={{ code: error.code, range: RANGES[days] }}
        className="ml-auto text-accent hover:underline"
      >
        All of these requests
      </Link>
    </header>
    <dl className="mt-3 grid gap-x-4 gap-y-2 md:grid-cols-[96px_minmax(0,1fr)]">
      <Words name="Cause" text={error.cause} />
      <Words name="What to do" text={error.fix} strong />
      {error.last_message !== null && (
        <>
          <dt className="text-ink-2">Last message</dt>
          <dd className="min-w-0">
            <blockquote className="border-l-2 border-edge pl-3 wrap-anywhere">{error.last_message}</blockquote>
            {error.last_request_id !== null && (
              <Link
                to="/requests/$request"
                params={{ request: error.last_request_id }}
                className="mt-1 inline-block font-mono text-small text-accent hover:underline"
              >
                {error.last_request_id}
              </Link>
            )}
          </dd>
        </>
      )}
    </dl>
  </Card>
);

const Words = ({ name, text, strong = false }: { name: string; text: string | null; strong?: boolean }): ReactNode =>
  text !== null && (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className={`max-w-prose min-w-0 ${strong ? "font-medium" : ""}`}>
        <CodeWords text={text} />
      </dd>
    </>
  );

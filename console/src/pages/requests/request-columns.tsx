import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RequestRow } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { showMoment, utcMoment } from "../../format/time.ts";
import { DURATION } from "../../format/unit.ts";
import { AccountName } from "../../parts/account-name.tsx";
import type { Column } from "../../table/column.ts";
import { Charged, sumOf } from "./charged.tsx";
import { CodeBadge } from "./code-badge.tsx";

const NONE = <span className="text-ink-3">–</span>;

/** What the lists of operators and of key holders both know of a request. */
type Ended = Pick<
  RequestRow,
  | "request_id"
  | "at"
  | "times"
  | "status"
  | "code"
  | "streamed"
  | "input_tokens"
  | "cached_tokens"
  | "output_tokens"
  | "charged"
  | "first_byte_ms"
  | "took_ms"
  | "agent"
>;

export const text = <Row,>(
  id: string,
  head: string,
  of: (row: Row) => string | null,
  more: Partial<Column<Row>> = {},
): Column<Row> => ({
  id,
  head,
  cell: (row) => (of(row) === null ? NONE : <span title={of(row) ?? ""}>{of(row)}</span>),
  sort: of,
  plain: (row) => of(row) ?? "",
  ...more,
});

const count = (id: string, head: string, of: (row: Ended) => number, hidden = false): Column<Ended> => ({
  id,
  head,
  width: 80,
  align: "right",
  hidden,
  cell: (row) => (of(row) === 0 ? NONE : groupDigits(of(row))),
  sort: of,
  plain: (row) => String(of(row)),
});

const time = (id: string, head: string, of: (row: Ended) => number | null): Column<Ended> => ({
  id,
  head,
  width: 88,
  align: "right",
  cell: (row) => shownTime(of(row)),
  sort: of,
  plain: (row) => String(of(row) ?? ""),
});

function shownTime(ms: number | null): ReactNode {
  if (ms === null) return NONE;
  const us = BigInt(ms) * 1000n;
  return <span title={DURATION.exact(us)}>{DURATION.show(us)}</span>;
}

/** Output tokens a second, from the first byte on. */
function speedOf({ output_tokens: output, took_ms: took, first_byte_ms: first, streamed }: Ended): number | null {
  return streamed && first !== null && output > 0 && took > first ? Math.round((output * 1000) / (took - first)) : null;
}

export const accountOf = ({ account_path: path }: { account_path: readonly string[] }): string | null =>
  path.length === 0 ? null : path.join("/");

export function accountCell(row: { account_path: readonly string[] }): ReactNode {
  const path = accountOf(row);
  return path === null ? NONE : <AccountName path={path} />;
}

/** The year is known from the span. */
const SHORT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

const at = (row: Ended): number => Date.parse(row.at);

/** When, and how it ended. The time is the way into the request for those who open it in another tab. */
export const FIRST_COLUMNS: readonly Column<Ended>[] = [
  {
    id: "at",
    head: "At",
    width: 136,
    cell: (row) => (
      <Link
        to="/requests/$request"
        params={{ request: row.request_id }}
        search
        tabIndex={-1}
        title={`${showMoment(at(row))} · ${utcMoment(at(row))} · ${row.request_id}`}
        className="whitespace-nowrap hover:underline"
      >
        {SHORT.format(at(row))}
      </Link>
    ),
    sort: at,
    plain: (row) => row.at,
  },
  {
    id: "code",
    head: "Ended",
    width: 168,
    cell: (row) => <CodeBadge {...row} />,
    sort: ({ status, code }) => `${status} ${code}`,
    plain: ({ status, code }) => `${status} ${code}`,
  },
];

/** What it counted, what it cost, how long it took. */
export const LAST_COLUMNS: readonly Column<Ended>[] = [
  text("streamed", "Streamed", ({ streamed }) => (streamed ? "yes" : "no"), { width: 88, hidden: true }),
  count("input", "Input", ({ input_tokens: input }) => input),
  count("cached", "Cached", ({ cached_tokens: cached }) => cached, true),
  count("output", "Output", ({ output_tokens: output }) => output),
  {
    id: "charged",
    head: "Charged",
    width: 112,
    align: "right",
    cell: ({ charged }) => <Charged amounts={charged} />,
    sort: ({ charged }) => sumOf(charged)?.value ?? null,
    plain: ({ charged }) => {
      const sum = sumOf(charged);
      return sum === null ? "" : `${sum.unit.plain(sum.value)} ${sum.unit.name}`;
    },
  },
  time("first", "First byte", ({ first_byte_ms: first }) => first),
  time("took", "Took", ({ took_ms: took }) => took),
  {
    id: "speed",
    head: "Tokens / s",
    width: 96,
    align: "right",
    hidden: true,
    cell: (row) => speedOf(row) ?? NONE,
    sort: speedOf,
    plain: (row) => String(speedOf(row) ?? ""),
  },
  text("agent", "Agent", ({ agent }) => agent, { width: 128, hidden: true }),
  text("id", "Request id", ({ request_id: id }) => id, { width: 280, hidden: true }),
];

/** The list has its own order, newest first. */
export const REQUEST_COLUMNS: readonly Column<RequestRow>[] = [
  ...FIRST_COLUMNS,
  text("key", "Key", ({ key_prefix: prefix }) => prefix, { width: 120 }),
  text("account", "Account", accountOf, { cell: accountCell }),
  text("model", "Model", ({ model, model_asked: asked }) => model ?? asked),
  text("provider", "Provider", ({ provider }) => provider, { width: 112, hidden: true }),
  text("format", "Format", ({ format }) => format, { width: 96, hidden: true }),
  ...LAST_COLUMNS,
];

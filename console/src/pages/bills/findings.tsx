import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type BillFinding, VERDICTS } from "../../../../src/reconcile/finding.ts";
import { groupDigits } from "../../format/money.ts";
import { REQUESTS, type Unit } from "../../format/unit.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Figure, Figures } from "../../parts/figure.tsx";
import { Note } from "../../parts/state.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { textColumn } from "../../table/plain-columns.tsx";
import type { Comparison } from "./compare.ts";

type Row = BillFinding & { place: number };

const LINES: Unit = { ...REQUESTS, name: "lines" };
const MODELS: Unit = { ...REQUESTS, name: "models" };
const TONES: Record<(typeof VERDICTS)[keyof typeof VERDICTS], Tone> = {
  agreement: "good",
  difference: "bad",
  question: "warn",
};
const MOST_LINKS = 40;

/** The lines of a comparison, and behind each of them why it is there and its requests. */
export function Findings({ of }: { of: Comparison }): ReactNode {
  const [opened, setOpened] = useState<number | null>(null);
  const rows = of.findings.map((finding, place): Row => ({ ...finding, place }));
  const count = (meaning: keyof typeof TONES): bigint =>
    BigInt(rows.filter(({ verdict }) => VERDICTS[verdict] === meaning).length);
  const chosen = rows.find(({ place }) => place === opened) ?? null;
  return (
    <>
      <Figures>
        <Figure label="Agree" value={count("agreement")} unit={LINES} />
        <Figure label="Differ" value={count("difference")} unit={LINES} />
        <Figure label="Not answered" value={count("question")} unit={LINES} note="names or files are missing" />
        <Figure label="Charges" value={BigInt(of.requests)} unit={REQUESTS} note="of this day" />
        <Figure label="Without money" value={BigInt(of.withoutCosts.length)} unit={MODELS} note="no cost is given" />
        <Figure
          label="Left out"
          value={BigInt(of.leftOut.reduce((sum, row) => sum + row.rows, 0))}
          unit={LINES}
          note="on purpose"
        />
      </Figures>
      {notesOf(of).map((note) => (
        <Note key={note} icon="info">
          {note}
        </Note>
      ))}
      <DataTable
        label={`Bills of ${of.day}`}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ place }) => String(place)}
        height={420}
        onOpen={({ place }) => setOpened(place)}
        shown={
          rows.length === 0
            ? { kind: "empty", title: "Nothing to compare", hint: "Neither the bills nor the journal have this day." }
            : { kind: "ready" }
        }
      />
      {chosen !== null && (
        <div key={chosen.place} ref={(shown) => shown?.scrollIntoView({ block: "nearest" })}>
          <Detail of={chosen} />
        </div>
      )}
    </>
  );
}

const notesOf = ({ provisional, withoutExport, withoutCosts, leftOut }: Comparison): string[] => [
  ...provisional.map(({ provider, until }) => `${provider} may still change this day until ${until}.`),
  ...(withoutExport.length === 0 ? [] : [`Not compared, since no export was given: ${withoutExport.join(", ")}.`]),
  ...(withoutCosts.length === 0 ? [] : [`Money not compared: ${withoutCosts.join(", ")}.`]),
  ...leftOut.map(({ export: file, why, rows }) => `Left out: ${groupDigits(rows)} rows of ${file}: ${why}.`),
];

/** Why a line is there, what to add to the map, and its requests. */
const Detail = ({ of }: { of: Row }): ReactNode => (
  <Card
    title={`${of.provider} ${of.model ?? ""} ${of.kind}: ${of.verdict}`}
    lead={of.why === "" ? "Both have the same." : `${of.why}.`}
  >
    <div className="flex flex-col gap-4">
      <Facts
        facts={[
          ...(of.add === null ? [] : [["Add to the map", <CopyText key="add" text={of.add} />] as const]),
          ...(of.credential === null ? [] : [["Credential", of.credential] as const]),
          ["Tier, region", `${of.tier ?? "all"}, ${of.region ?? "all"}`],
          ["Files", of.exports.length === 0 ? "none" : of.exports.join(", ")],
        ]}
      />
      <Requests of={of} />
    </div>
  </Card>
);

const Requests = ({ of: { requests } }: { of: Row }): ReactNode =>
  requests.ids.length === 0 ? (
    <p className="text-ink-2">No request of the journal is behind this line.</p>
  ) : (
    <section aria-label="Requests of this line">
      <h3 className="font-medium">
        {groupDigits(requests.count)} {requests.count === 1 ? "request" : "requests"}
        {requests.count > MOST_LINKS && <span className="text-ink-3"> · the first {MOST_LINKS}</span>}
      </h3>
      <ul className="mt-1 grid gap-x-4 gap-y-1 sm:grid-cols-2 xl:grid-cols-3">
        {requests.ids.slice(0, MOST_LINKS).map((id) => (
          <li key={id} className="truncate">
            <Link
              to="/requests/$request"
              params={{ request: id }}
              className="font-mono text-small text-accent hover:underline"
            >
              {id}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );

const NONE = <span className="text-ink-3">–</span>;
const grouped = (text: string): string => text.replace(/^-?\d+/, groupDigits);
const signed = (text: string): string => (text.startsWith("-") || text === "0" ? grouped(text) : `+${grouped(text)}`);

const figureColumn = (id: string, head: string, of: (row: Row) => string | null, show = grouped): Column<Row> => ({
  id,
  head,
  width: 104,
  align: "right",
  cell: (row) => {
    const text = of(row);
    return text === null ? NONE : <span title={text}>{show(text)}</span>;
  },
  sort: (row) => {
    const text = of(row);
    return text === null ? null : Number(text);
  },
  plain: (row) => of(row) ?? "",
});

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "verdict",
    head: "Verdict",
    width: 152,
    cell: ({ verdict }) => <Badge tone={TONES[VERDICTS[verdict]]}>{verdict}</Badge>,
    sort: ({ verdict }) => verdict,
    plain: ({ verdict }) => verdict,
  },
  textColumn("provider", "Provider", ({ provider }) => provider, { width: 104 }),
  textColumn("model", "Model", ({ model }) => model, {
    cell: ({ model }) => (model === null ? NONE : <span title={model}>{model}</span>),
  }),
  textColumn("tier", "Tier", ({ tier }) => tier, { width: 88, cell: ({ tier }) => tier ?? NONE }),
  textColumn("kind", "Kind", ({ kind }) => kind, { width: 128 }),
  figureColumn("journal", "Journal", ({ journal }) => journal),
  figureColumn("export", "Bill", ({ export: billed }) => billed),
  figureColumn("difference", "Difference", ({ difference }) => difference, signed),
  {
    ...figureColumn("usd", "Dollars", ({ differenceUsd, exportUsd }) => differenceUsd ?? exportUsd),
    // What the bill has more, or else what it asks for.
    cell: ({ differenceUsd, exportUsd }) => {
      const text = differenceUsd === null ? exportUsd : signed(differenceUsd);
      return text === null ? NONE : <span title={text}>{text}</span>;
    },
  },
  {
    id: "requests",
    head: "Requests",
    width: 96,
    align: "right",
    cell: ({ requests }) => (requests.count === 0 ? NONE : groupDigits(requests.count)),
    sort: ({ requests }) => requests.count,
    plain: ({ requests }) => String(requests.count),
  },
];

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Statement } from "../../api/generated/admin.ts";
import { saveFile, writeCsv } from "../../format/csv.ts";
import { groupDigits, readCredits } from "../../format/money.ts";
import { CREDITS } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Facts } from "../../parts/facts.tsx";
import { INPUT } from "../../parts/field.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Stateful } from "../../parts/state.tsx";

const MOST_LINES = 6;

/** A month in UTC: what it had, what came, what went, what it has. */
export function StatementCard({ account }: { account: string }): ReactNode {
  const [thisMonth] = useState(() => new Date().toISOString().slice(0, 7));
  const [month, setMonth] = useState(thisMonth);
  const statement = useQuery(
    queryOf("GET /admin/v1/accounts/{account}/statements/{month}", { params: { account, month } }),
  );
  const { data } = statement;
  return (
    <Card
      title="What happened in the month?"
      lead={data?.running === true ? "Credits, in UTC; the month is not over" : "Credits, in UTC"}
      actions={
        <div className="flex items-center gap-1">
          <input
            type="month"
            aria-label="Month"
            value={month}
            max={thisMonth}
            onChange={({ target }) => target.value !== "" && setMonth(target.value)}
            className={`${INPUT} w-auto!`}
          />
          <IconButton
            label="Download the statement as CSV"
            icon="download"
            disabled={data === undefined}
            onClick={() => data && save(data)}
          />
        </div>
      }
    >
      <Stateful shown={shownOf(statement, null)} height={160}>
        {data && <Sums of={data} />}
      </Stateful>
    </Card>
  );
}

const Sums = ({ of: { opening, funded, charged, refunded, closing, lines } }: { of: Statement }): ReactNode => (
  <div className="flex flex-col gap-4">
    <Facts
      facts={[
        ...(opening === null ? [] : [["At the beginning", credits(opening)] as const]),
        ["Funded", credits(funded, "+ ")],
        ["Charged", credits(charged, "− ")],
        ["Given back", credits(refunded, "+ ")],
        ...(closing === null ? [] : [["At the end", <b key="end">{credits(closing)}</b>] as const]),
      ]}
    />
    {lines.length > 0 && (
      <table className="w-full text-small">
        <thead className="text-ink-2">
          <tr>
            <th scope="col" className="text-left font-medium">
              Key
            </th>
            <th scope="col" className="text-left font-medium">
              Model
            </th>
            <th scope="col" className="text-right font-medium">
              Requests
            </th>
            <th scope="col" className="text-right font-medium">
              Credits
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, MOST_LINES).map(({ key_id: id, key, model, requests, credits: cost }) => (
            <tr key={`${id} ${model}`} className="h-7 border-t border-line/70">
              <td className="max-w-40 truncate pr-2">{key}</td>
              <td className="max-w-32 truncate pr-2">{model}</td>
              <td className="text-right">{groupDigits(requests)}</td>
              <td className="text-right">{credits(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
    {lines.length > MOST_LINES && (
      <p className="text-small text-ink-3">and {groupDigits(lines.length - MOST_LINES)} more, in the file</p>
    )}
  </div>
);

const credits = (text: string, sign = ""): ReactNode => (
  <span className="whitespace-nowrap">
    {sign}
    <Amount value={readCredits(text)} unit={CREDITS} />
  </span>
);

const save = ({ account, month, lines }: Statement): void =>
  saveFile(
    `statement-${account.title.replaceAll("/", "-")}-${month}.csv`,
    writeCsv(
      ["Key", "Key id", "Model", "Requests", "Credits", "Tokens", "Input tokens", "Output tokens"],
      lines.map((line) =>
        [
          line.key,
          line.key_id,
          line.model,
          line.requests,
          line.credits,
          line.tokens,
          line.input_tokens,
          line.output_tokens,
        ].map(String),
      ),
    ),
  );

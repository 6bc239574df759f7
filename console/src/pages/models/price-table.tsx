import type { ReactNode } from "react";
import type { Tariff } from "../../api/generated/admin.ts";
import { exactCredits } from "../../format/money.ts";
import { Delta } from "../../parts/delta.tsx";
import { PRICE_PARTS, priceRows, type PriceRow } from "./price-parts.ts";

const HEAD = "font-medium pb-1 whitespace-nowrap";

/** A price part by part; with `after`, what it becomes. */
export function PriceTable({ before, after }: { before: Tariff | null; after?: Tariff | null }): ReactNode {
  const rows = priceRows(before, after === undefined ? before : after);
  const isChange = after !== undefined;
  return (
    <table className="w-full">
      <thead className="text-small text-ink-2">
        <tr>
          <th scope="col" className={`${HEAD} text-left`}>
            Part
          </th>
          <th scope="col" className={`${HEAD} text-right`}>
            {isChange ? "Before" : "Credits"}
          </th>
          {isChange && (
            <>
              <th scope="col" className={`${HEAD} pl-4 text-right`}>
                After
              </th>
              <th scope="col" className={`${HEAD} pl-4 text-right`}>
                Change
              </th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className="h-(--row) border-t border-line/70">
            <th scope="row" className="pr-3 text-left font-normal">
              {row.name} <span className="text-small text-ink-3">{row.per}</span>
            </th>
            <td className={`text-right ${isChange ? "text-ink-3" : ""}`}>
              <PartPrice id={row.id} value={row.before} />
            </td>
            {isChange && (
              <>
                <td className={`pl-4 text-right ${row.before === row.after ? "text-ink-2" : "font-medium"}`}>
                  <PartPrice id={row.id} value={row.after} />
                </td>
                <td className="pl-4 text-right">{changeOf(row)}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function PartPrice({ id, value }: { id: string; value: bigint | null }): ReactNode {
  if (value !== null) return exactCredits(value);
  const instead = PRICE_PARTS.find(({ part }) => part === id)?.instead;
  return <span className="text-small text-ink-3">{instead ?? "none"}</span>;
}

function changeOf({ before, after }: PriceRow): ReactNode {
  if (before === after) return <span className="text-small text-ink-3">unchanged</span>;
  if (after === null) return <span className="text-small text-ink-2">taken away</span>;
  return before === null ? <span className="text-small text-ink-2">new</span> : <Delta now={after} before={before} />;
}

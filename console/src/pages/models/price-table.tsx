import type { ReactNode } from "react";
import type { Tariff } from "../../api/generated/admin.ts";
import { exactCredits } from "../../format/money.ts";
import { Delta } from "../../parts/delta.tsx";
import { PRICE_PARTS, type PriceRow, priceSizes } from "./price-parts.ts";

const HEAD = "font-medium pb-1 whitespace-nowrap";

/** A price part by part, for larger inputs, tiers and regions apart; with `after`, what it becomes. */
export function PriceTable({ before, after }: { before: Tariff | null; after?: Tariff | null }): ReactNode {
  const sizes = priceSizes(before, after === undefined ? before : after);
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
      {sizes.map(({ where, fromInput, sold, rows }) => (
        <tbody key={`${where} ${fromInput}`}>
          {(fromInput > 0 || where !== "") && (
            <tr className="h-(--row) border-t border-line">
              <th scope="rowgroup" colSpan={isChange ? 4 : 2} className="text-left font-medium">
                {titleOf(where, fromInput)} {!sold && <span className="font-normal text-ink-2">is not sold</span>}
              </th>
            </tr>
          )}
          {rows.map((row) => (
            <Part key={row.id} row={row} isChange={isChange} />
          ))}
        </tbody>
      ))}
    </table>
  );
}

function titleOf(where: string, fromInput: number): string {
  const size = fromInput === 0 ? "" : `Input of ${fromInput.toLocaleString("en")} tokens or more`;
  if (where === "") return size;
  const place = where.charAt(0).toUpperCase() + where.slice(1);
  return size === "" ? place : `${place}, ${size.charAt(0).toLowerCase()}${size.slice(1)}`;
}

const Part = ({ row, isChange }: { row: PriceRow; isChange: boolean }): ReactNode => (
  <tr className="h-(--row) border-t border-line/70">
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
);

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

import type { ReactNode } from "react";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Card } from "../../parts/card.tsx";
import { Note } from "../../parts/state.tsx";
import { GAP_WORDS, lineWords } from "./words.ts";

type Money = NonNullable<RequestDetail["money"]>;
type Work = NonNullable<Money["credits"]>;

export type Priced = Pick<Money, "credits" | "tokens" | "price_version" | "estimated">;

/** From counts and prices to the charge, with every digit. */
export const PriceArithmetic = ({ money }: { money: Priced }): ReactNode => {
  const version = money.price_version === null ? "" : `Price version ${money.price_version}`;
  const counted = money.estimated ? "counts of the gateway" : "counts of the provider";
  return (
    <Card title="How was the charge computed?" lead={[version, counted].filter(Boolean).join(", ")}>
      <div className="flex flex-col gap-4">
        {money.credits !== null && <Lines work={money.credits} unit="credits" />}
        {money.tokens !== null && <Lines work={money.tokens} unit="tokens" />}
      </div>
    </Card>
  );
};

function Lines({ work, unit }: { work: Work; unit: "credits" | "tokens" }): ReactNode {
  return (
    <div className="overflow-x-auto">
      <table className="w-full">
        <caption className="sr-only">The charge in {unit}, line by line</caption>
        <thead>
          <tr className="h-(--row) text-left text-small text-ink-2">
            <th scope="col" className="pr-3 text-right font-medium">
              Count
            </th>
            <th scope="col" className="pr-3 font-medium">
              Of
            </th>
            <th scope="col" className="pr-3 text-right font-medium">
              Price
            </th>
            <th scope="col" className="text-right font-medium">
              {unit}
            </th>
          </tr>
        </thead>
        <tbody>
          {work.lines.map(({ what, count, unit_price: price, amount }) => (
            <tr key={what} className="h-(--row) border-t border-line/70">
              <td className="pr-3 text-right">{groupDigits(count)}</td>
              <td className="pr-3">{lineWords(what)}</td>
              <td className="pr-3 text-right whitespace-nowrap">
                {unit === "credits" && (
                  <>
                    <span className="text-ink-3">×</span> {price}{" "}
                    <span className="text-ink-3">{what.startsWith("tools.") ? "a call" : "per million"}</span>
                  </>
                )}
              </td>
              <td className="text-right">{amount}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {work.sum !== null && <End name="sum, rounded once" amount={work.sum} />}
          <End name="charged" amount={work.charged} strong />
        </tfoot>
      </table>
      {work.gap !== null && (
        <div className="mt-2">
          <Note icon="info">{GAP_WORDS[work.gap]}</Note>
        </div>
      )}
    </div>
  );
}

const End = ({ name, amount, strong = false }: { name: string; amount: string; strong?: boolean }): ReactNode => (
  <tr className={`h-(--row) ${strong ? "" : "border-t border-edge"}`}>
    <th scope="row" colSpan={3} className={`pr-3 text-left ${strong ? "font-semibold" : "font-normal"}`}>
      {name}
    </th>
    <td className={`text-right ${strong ? "font-semibold" : ""}`}>{amount}</td>
  </tr>
);

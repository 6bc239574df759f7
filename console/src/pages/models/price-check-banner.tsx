import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import type { AnswerOf } from "../../api/call.ts";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";

type Check = NonNullable<AnswerOf<"GET /admin/v1/price-check">["check"]>;

/** What the last check of the price list found, where somebody has to look at it. */
export function PriceCheckBanner(): ReactNode {
  const { data } = useQuery({ ...queryOf("GET /admin/v1/price-check"), refetchInterval: 60_000, retry: false });
  const check = data?.check ?? null;
  if (check === null || (check.problem === null && !check.found?.models)) return null;
  return (
    <section
      aria-label="Price list"
      className="mb-3 flex flex-col gap-1 rounded-md border border-warn/40 bg-warn-soft px-3 py-2 wrap-anywhere"
    >
      {check.problem !== null && (
        <p>
          <span className="font-medium">Prices could not be compared with {check.list}:</span> {check.problem}
        </p>
      )}
      {check.found !== null && check.found.models > 0 && <Found list={check.list} found={check.found} />}
    </section>
  );
}

const Found = ({ list, found }: { list: string; found: NonNullable<Check["found"]> }): ReactNode => (
  <>
    <p>
      <span className="font-medium">
        {list} has other prices or limits for {models(found.models)}
      </span>{" "}
      than are in force. Compared <Moment atMs={Date.parse(found.at)} />
      {found.stale && ", before a price was changed; the next check comes within minutes"}. Nothing was changed.
    </p>
    <p className="flex flex-wrap gap-x-4">
      {found.differences.map(({ provider, vendor, markup, models: differing }) => (
        <Link
          key={provider}
          to="/models/import"
          search={{ from: "checked", provider, vendor, markup }}
          className="inline-flex min-h-6 items-center text-accent underline"
        >
          {provider}: look at {differing.length === 0 ? "what differs" : models(differing.length)}
        </Link>
      ))}
    </p>
  </>
);

const models = (count: number): string => `${groupDigits(count)} ${count === 1 ? "model" : "models"}`;

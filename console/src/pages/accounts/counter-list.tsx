import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Counter } from "../../api/generated/admin.ts";
import { CounterBar } from "../../charts/counter-bar.tsx";
import { PERIODS, readAmount, readCounted, unitOf } from "../../format/counted.ts";
import { Moment } from "../../parts/amount.tsx";

type Props = {
  counters: readonly Counter[];
  /** Whose they are that belong to no account. */
  self: string;
  /** Percentages at which somebody is told, by the id of a limit. */
  thresholdsOf?: (counter: Counter) => readonly number[];
  tools?: (counter: Counter) => ReactNode;
};

/** Purses and limits, each with what it counts and where it ends. */
export const CounterList = ({ counters, self, thresholdsOf = () => [], tools = () => null }: Props): ReactNode => (
  <ul className="flex flex-col gap-5">
    {counters.map((counter) => (
      <li key={counter.id}>
        <div className="mb-1 flex flex-wrap items-center justify-between gap-x-3">
          <h3 className="min-w-0">
            <span className="font-medium">
              {counter.account_id === null ? (
                self
              ) : (
                <Link
                  to="/accounts/$account"
                  params={{ account: counter.account_id }}
                  className="text-accent hover:underline"
                >
                  {counter.holder}
                </Link>
              )}
            </span>{" "}
            <span className="text-ink-2">{nameOf(counter)}</span>
          </h3>
          <div className="flex items-center gap-1">
            {counter.renews_at !== null && (
              <span className="text-small text-ink-3">
                renews <Moment atMs={Date.parse(counter.renews_at)} />
              </span>
            )}
            {tools(counter)}
          </div>
        </div>
        <CounterBar {...readCounted(counter)} thresholds={thresholdsOf(counter)} />
      </li>
    ))}
  </ul>
);

/** `credit`, or `limit of 50.00 credits per month, gpt-*`. */
export function nameOf({ kind, unit, amount, period, models }: Counter): string {
  if (kind === "purse") return "credit";
  const { show, name } = unitOf(unit);
  return `limit of ${show(readAmount(unit, amount))} ${name} ${PERIODS[period]}${models === null ? "" : `, ${models.join(", ")}`}`;
}

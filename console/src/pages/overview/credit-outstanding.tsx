import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import { groupDigits, readCredits } from "../../format/money.ts";
import { CREDITS } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import { Card } from "../../parts/card.tsx";
import { CodeWords } from "../../parts/code-words.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Stateful } from "../../parts/state.tsx";

/** What is prepaid and not spent, whatever the span. */
export function CreditOutstanding(): ReactNode {
  const outstanding = useQuery(queryOf("GET /admin/v1/ledger/outstanding"));
  const { data } = outstanding;
  const balance = data && readCredits(data.balance);
  return (
    <Card title="How much credit is outstanding?" lead="Prepaid and not spent, now">
      <Stateful shown={shownOf(outstanding, null)} height={64}>
        {data && balance !== undefined && (
          <>
            <p className="text-figure font-semibold tracking-tight" title={`${CREDITS.exact(balance)} credits`}>
              {balance < 10n ** 15n ? CREDITS.show(balance) : CREDITS.short(balance)}{" "}
              <span className="text-body font-normal tracking-normal text-ink-3">credits</span>
            </p>
            <p className="text-small text-ink-2">
              <Amount value={readCredits(data.reserved)} unit={CREDITS} /> reserved ·{" "}
              <Link to="/accounts" className="text-accent underline">
                {groupDigits(data.purses)} {data.purses === 1 ? "purse" : "purses"}
              </Link>
            </p>
            {data.closed_purses > 0 && (
              <p className="text-small text-ink-2">
                <Amount value={readCredits(data.closed_balance)} unit={CREDITS} /> in closed purses. Run{" "}
                <CodeWords text="`tollgate ledger outstanding`." />
              </p>
            )}
          </>
        )}
      </Stateful>
    </Card>
  );
}

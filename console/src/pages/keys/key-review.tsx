import type { ReactNode } from "react";
import type { Account } from "../../api/generated/admin.ts";
import { PERIODS } from "../../format/counted.ts";
import { groupDigits } from "../../format/money.ts";
import { Facts } from "../../parts/facts.tsx";
import { Skeleton } from "../../parts/state.tsx";
import { entitledText, entitledTo } from "./entitlements.tsx";
import type { Paid } from "../accounts/find-payer.ts";
import type { Draft } from "./key-draft.ts";
import { listOf } from "../accounts/limit-dialog.tsx";

type Props = { draft: Draft; paid: { data: Paid | undefined; isLoading: boolean } };

/** All that was chosen, before it is done. */
export function KeyReview({ draft, paid: { data: paid, isLoading } }: Props): ReactNode {
  if (isLoading) return <Skeleton height={224} />;
  return (
    <Facts
      facts={[
        ["Label", draft.label || "none"],
        ["Account", paid?.account.path ?? (draft.account || "none")],
        ["Can spend", moneyOf(draft, paid?.payer ?? null)],
        ["Models", entitledText(entitledTo(draft.models), ", ") ?? "all"],
        ["Provider", draft.provider_scope],
        ["Service tiers", entitledText(entitledTo(draft.tiers), ", ") ?? "all that are sold"],
        ["Regions", listOf(draft.regions)?.join(", ") ?? "anywhere"],
        ["Rate limit", draft.rpm_limit === "" ? "none" : `${groupDigits(draft.rpm_limit)} requests per minute`],
        ["Last day", draft.expires_at === "" ? "never expires" : `${draft.expires_at} (UTC)`],
      ]}
    />
  );
}

function moneyOf(draft: Draft, payer: Account | null): string {
  if (draft.mode !== "credit")
    return `${groupDigits(draft.budget)} tokens ${PERIODS[draft.period as keyof typeof PERIODS]}`;
  if (payer !== null) return `what ${payer.path} has`;
  return draft.credit === "" ? "nothing until it is topped up" : `${groupWhole(draft.credit)} credits`;
}

/** 12345.5 → 12,345.5: decimals are not grouped. */
function groupWhole(text: string): string {
  const [whole = "", ...rest] = text.split(".");
  return [groupDigits(whole), ...rest].join(".");
}

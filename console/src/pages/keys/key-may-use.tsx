import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Key } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { ENTITLEMENT_FIELDS, entitledTo, Entitlements } from "./entitlements.tsx";
import { endOfDay } from "./end-of-day.ts";
import { listOf } from "../accounts/limit-dialog.tsx";

/** Its entitlements: models, provider, rate, end. */
export function KeyMayUse({ of: key }: { of: Key }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <Card title="What may it use?" actions={<Button onClick={() => setOpen(true)}>Change</Button>}>
      <Facts
        facts={[
          ["Models", key.models === null ? "all" : key.models.length === 0 ? "none" : key.models.join(", ")],
          ["Provider", key.provider_scope],
          ["Service tiers", tiersOf(key)],
          ["Regions", regionsOf(key)],
          ["Rate limit", key.rpm_limit === null ? "none" : `${groupDigits(key.rpm_limit)} requests per minute`],
          ["Expires", key.expires_at === null ? "never" : <Moment key="ends" atMs={Date.parse(key.expires_at)} />],
          ["Created", <Moment key="made" atMs={Date.parse(key.created_at)} />],
          [
            "Id",
            <code key="id" className="font-mono text-small">
              {key.id}
            </code>,
          ],
        ]}
      />
      {open && <ChangeDialog of={key} onClose={() => setOpen(false)} />}
    </Card>
  );
}

const named = (tiers: readonly string[]): string => tiers.join(", ") || "the usual one only";

/** Its own, and where accounts above it allow fewer, theirs. */
function tiersOf({ tiers, account_tiers: above }: Key): string {
  const own = tiers === null ? "all that are sold" : named(tiers);
  return above === null ? own : `${own}; its account allows ${named(above)}`;
}

/** The same of where its requests run. */
function regionsOf({ regions, account_regions: above }: Key): string {
  const own = regions?.join(", ") ?? "anywhere";
  return above === null ? own : `${own}; its account allows ${above.join(", ") || "none"}`;
}

function ChangeDialog({ of: key, onClose }: { of: Key; onClose: () => void }): ReactNode {
  const models = useQuery(queryOf("GET /admin/v1/models", { query: { limit: 1000 } }));
  return (
    <FormDialog
      title={`Change ${key.label ?? `${key.prefix}…`}`}
      lead="The next request of the key follows it. Requests in progress are not stopped."
      verb="Save"
      done="The key is changed"
      fields={["label", ...ENTITLEMENT_FIELDS]}
      onClose={onClose}
      act={(change, given) =>
        change("PATCH /admin/v1/keys/{key}", {
          params: { key: key.id },
          body: {
            label: given("label") || null,
            models: entitledTo(given("models")),
            tiers: entitledTo(given("tiers")),
            regions: listOf(given("regions")),
            provider_scope: given("provider_scope") || "all",
            rpm_limit: given("rpm_limit") === "" ? null : Number(given("rpm_limit")),
            expires_at: endOfDay(given("expires_at")),
          },
        })
      }
    >
      {(problemOf) => (
        <>
          <Field label="Label" name="label" defaultValue={key.label ?? ""} problem={problemOf("label")} autoFocus />
          <Entitlements usual={key} models={models.data?.data ?? []} problemOf={problemOf} />
        </>
      )}
    </FormDialog>
  );
}

import type { ReactNode } from "react";
import type { Key, Model } from "../../api/generated/admin.ts";
import { Field, LinesField, SelectField } from "../../parts/field.tsx";
import { listOf } from "../accounts/limit-dialog.tsx";

/** Stands in a field for a key that may use none: an empty field means all. */
const NONE = "none";

/** The models or tiers that were written into the field. */
export const entitledTo = (text: string): string[] | null => (text.trim() === NONE ? [] : listOf(text));

/** The same as the field shows it. */
export const entitledText = (list: readonly string[] | null, between: string): string | undefined =>
  list?.length === 0 ? NONE : list?.join(between);

export const ENTITLEMENT_FIELDS = ["models", "provider_scope", "tiers", "regions", "rpm_limit", "expires_at"];

type Props = {
  usual: Pick<Key, "models" | "provider_scope" | "tiers" | "regions" | "rpm_limit" | "expires_at">;
  models: readonly Model[];
  problemOf: (field: string) => string | null;
};

/** What a key may use, as fields of a form. */
export function Entitlements({ usual, models, problemOf }: Props): ReactNode {
  const providers = [...new Set(models.map(({ provider }) => provider))].toSorted();
  return (
    <>
      <LinesField
        label="Models"
        name="models"
        rows={4}
        placeholder="all models"
        defaultValue={entitledText(usual.models, "\n")}
        problem={problemOf("models")}
        hint={`One on each line. Empty: all; "none": no model. There are: ${named(models.map(({ id }) => id))}`}
      />
      <SelectField
        label="Provider"
        name="provider_scope"
        key={providers.length}
        defaultValue={usual.provider_scope}
        options={[
          { value: "all", name: "all providers" },
          ...[...new Set([...providers, usual.provider_scope])]
            .filter((name) => name !== "all")
            .map((name) => ({ value: name, name })),
        ]}
        problem={problemOf("provider_scope")}
      />
      <TiersField usual={usual.tiers} autoFocus={false} problem={problemOf("tiers")} />
      <RegionsField usual={usual.regions} autoFocus={false} problem={problemOf("regions")} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label="Requests per minute"
          name="rpm_limit"
          type="number"
          min={1}
          max={1_000_000}
          placeholder="no rate limit"
          defaultValue={usual.rpm_limit ?? ""}
          problem={problemOf("rpm_limit")}
        />
        <Field
          label="Last day (UTC)"
          name="expires_at"
          type="date"
          defaultValue={usual.expires_at?.slice(0, 10) ?? ""}
          problem={problemOf("expires_at")}
          hint="Empty: it never expires."
        />
      </div>
    </>
  );
}

type ListProps = { usual: readonly string[] | null; autoFocus: boolean; problem: string | null };

/** Which service tiers may be asked for, of a key or an account. */
export const TiersField = ({ usual, autoFocus, problem }: ListProps): ReactNode => (
  <Field
    label="Service tiers"
    name="tiers"
    autoFocus={autoFocus}
    placeholder="all that are sold"
    defaultValue={entitledText(usual, ", ")}
    problem={problem}
    hint={`With commas: flex, priority. Empty: all that prices name; "${NONE}": the usual one alone.`}
  />
);

const SHOWN = 8;

const named = (ids: readonly string[]): string =>
  ids.length === 0
    ? "none yet."
    : `${ids.slice(0, SHOWN).join(", ")}${ids.length > SHOWN ? ` and ${ids.length - SHOWN} more.` : "."}`;

/** Where requests may run, of a key or an account. */
export const RegionsField = ({ usual, autoFocus, problem }: ListProps): ReactNode => (
  <Field
    label="Regions"
    name="regions"
    autoFocus={autoFocus}
    placeholder="anywhere"
    defaultValue={usual?.join(", ")}
    problem={problem}
    hint="With commas: eu, ch. Requests run on routes that name one of them. Empty: on every route."
  />
);

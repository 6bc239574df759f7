import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../../api/call.ts";
import { Button } from "../../parts/button.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { providersQuery } from "../providers/providers-query.ts";
import type { PriceFile } from "./price-list-file.ts";

const FIELDS = ["provider", "vendor", "match", "markup"];

/** What is taken of a list, and at which factor. `file`: null for a list that the gateway has. `usual`: what the fields begin with. */
export function ImportFields({
  file,
  usual,
  isShipped,
  error,
  busy,
}: {
  file: PriceFile | null;
  usual: { provider?: string | undefined; vendor?: string | undefined; markup?: string | undefined };
  isShipped: boolean;
  error: Error | null;
  busy: boolean;
}): ReactNode {
  const providers = useQuery(providersQuery);
  const names = (providers.data ?? []).map(({ name }) => name);
  const param = error instanceof ApiError ? error.param : null;
  const problemOf = (field: string): string | null => (param === field ? (error?.message ?? null) : null);
  const [first] = names;
  const vendor = file?.vendors.find(({ name }) => names.includes(name))?.name ?? file?.vendors[0]?.name;
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        <Vendor file={file} vendor={vendor ?? usual.vendor} problem={problemOf("vendor")} />
        <SelectField
          label="Provider that serves them"
          name="provider"
          key={`${names.length} ${vendor}`}
          defaultValue={names.find((name) => name === (usual.provider ?? vendor)) ?? first}
          required
          options={names.map((name) => ({ value: name, name }))}
          problem={problemOf("provider")}
        />
        <Field
          label="Only ids that match"
          name="match"
          defaultValue="*"
          spellCheck={false}
          problem={problemOf("match")}
        />
        <Field
          label="Multiply prices by"
          name="markup"
          defaultValue={usual.markup ?? "1"}
          inputMode="decimal"
          problem={problemOf("markup")}
        />
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <Tick name="free" label="Also models priced at 0" />
        <Tick name="dearest" label="Also models with several prices, at the highest" />
        {isShipped && <Tick name="accept_old_list" label="Also if the list is older than 45 days" />}
      </div>
      {error !== null && !FIELDS.includes(param ?? "") && (
        <p role="alert" className="rounded-sm bg-bad-soft px-2 py-1 text-small text-bad">
          {error.message}
        </p>
      )}
      <div>
        <Button look="primary" type="submit" busy={busy} disabled={names.length === 0}>
          Compare with the catalogue
        </Button>
        {providers.data && names.length === 0 && (
          <p className="mt-1 text-small text-bad">There is no provider yet. Add one under Providers and routes.</p>
        )}
      </div>
    </>
  );
}

type VendorProps = { file: PriceFile | null; vendor: string | undefined; problem: string | null };

const Vendor = ({ file, vendor, problem }: VendorProps): ReactNode =>
  file === null ? (
    <Field
      label="Vendor in the list"
      name="vendor"
      defaultValue={vendor ?? ""}
      placeholder="as the provider"
      spellCheck={false}
      problem={problem}
    />
  ) : (
    <SelectField
      label="Vendor in the list"
      name="vendor"
      key={vendor}
      defaultValue={vendor}
      options={file.vendors.map(({ name, models }) => ({ value: name, name: `${name} (${models})` }))}
      problem={problem}
    />
  );

const Tick = ({ name, label }: { name: string; label: string }): ReactNode => (
  <label className="flex min-h-6 items-center gap-2">
    <input type="checkbox" name={name} className="size-4 accent-accent" />
    {label}
  </label>
);

import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError, call } from "../../api/call.ts";
import { groupDigits } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Field, INPUT, SelectField } from "../../parts/field.tsx";
import { BackLink, PageHead } from "../../parts/page-head.tsx";
import { providersQuery } from "../providers/providers-query.ts";
import { ApplyDialog, type Order } from "./apply-dialog.tsx";
import { changing, type Compared, PriceListDiff } from "./price-list-diff.tsx";
import { type PriceFile, readPriceFile, textOfVendor } from "./price-list-file.ts";

/** A price list is read and compared; what it would change is shown before anything is written. */
export function ImportPage(): ReactNode {
  const navigate = useNavigate();
  const [file, setFile] = useState<PriceFile | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isApplying, setIsApplying] = useState(false);
  const seen = useMutation({ mutationFn: (asked: Omit<Order, "list">) => compare(file, asked) });
  const changes = seen.data ? changing(seen.data.compared).length : 0;
  const choose = async (chosen: File | undefined): Promise<void> => {
    seen.reset();
    const read = chosen ? readPriceFile(await chosen.text()) : null;
    setFile(read);
    setProblem(
      chosen && read === null
        ? "The file is not a JSON object. Save the list itself, not the page that shows it."
        : null,
    );
  };
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string): string => String(given.get(name) ?? "").trim();
    seen.mutate({
      provider: text("provider"),
      vendor: text("vendor"),
      match: text("match") || "*",
      markup: text("markup") || "1",
      free: given.has("free"),
      dearest: given.has("dearest"),
    });
  };
  return (
    <div className="flex flex-col gap-4">
      <PageHead
        back={<BackLink to="/models">Models</BackLink>}
        title="Import prices"
        lead="A list is compared with the catalogue first. Nothing is written until you apply it."
      />
      <Card
        title="Which list?"
        lead="The file model_prices_and_context_window.json of LiteLLM, or one of the same form"
      >
        <form onSubmit={send} className="flex flex-col gap-4">
          <label className="flex min-w-0 flex-col gap-1 font-medium">
            File
            <input
              type="file"
              accept=".json,application/json"
              aria-invalid={problem !== null}
              onChange={({ target }) => void choose(target.files?.[0])}
              className={`${INPUT} py-1 font-normal file:mr-2 file:rounded-sm file:bg-sunken file:px-2 file:text-ink`}
            />
            <span className={`min-h-4 text-small font-normal ${problem === null ? "text-ink-3" : "text-bad"}`}>
              {problem ??
                (file && `${groupDigits(Object.keys(file.entries).length)} models of ${file.vendors.length} vendors`)}
            </span>
          </label>
          {file && <ImportFields file={file} error={seen.error} busy={seen.isPending} />}
        </form>
      </Card>
      {seen.data && (
        <PriceListDiff
          compared={seen.data.compared}
          height={560}
          tools={
            <Button look="primary" disabled={changes === 0} onClick={() => setIsApplying(true)}>
              Apply {groupDigits(changes)} {changes === 1 ? "change" : "changes"}
            </Button>
          }
        />
      )}
      {isApplying && seen.data && (
        <ApplyDialog
          of={seen.data}
          onClose={() => setIsApplying(false)}
          onApplied={() => void navigate({ to: "/models" })}
        />
      )}
    </div>
  );
}

type Seen = { order: Order; compared: Compared };

async function compare(file: PriceFile | null, asked: Omit<Order, "list">): Promise<Seen> {
  if (file === null) throw new Error("Choose a file first.");
  const order = { ...asked, list: textOfVendor(file, asked.vendor) };
  return { order, compared: await call("POST /admin/v1/models/import/litellm", { body: order }) };
}

function ImportFields({ file, error, busy }: { file: PriceFile; error: Error | null; busy: boolean }): ReactNode {
  const providers = useQuery(providersQuery);
  const names = (providers.data ?? []).map(({ name }) => name);
  const param = error instanceof ApiError ? error.param : null;
  const problemOf = (field: string): string | null => (param === field ? (error?.message ?? null) : null);
  const known = ["provider", "vendor", "match", "markup"];
  const [first] = names;
  const vendor = file.vendors.find(({ name }) => names.includes(name))?.name ?? file.vendors[0]?.name;
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        <SelectField
          label="Vendor in the list"
          name="vendor"
          key={vendor}
          defaultValue={vendor}
          options={file.vendors.map(({ name, models }) => ({ value: name, name: `${name} (${models})` }))}
          problem={problemOf("vendor")}
        />
        <SelectField
          label="Provider that serves them"
          name="provider"
          key={`${names.length} provider`}
          defaultValue={names.find((name) => name === vendor) ?? first}
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
          defaultValue="1"
          inputMode="decimal"
          problem={problemOf("markup")}
        />
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <Tick name="free" label="Also models priced at 0" />
        <Tick name="dearest" label="Also models with several prices, at the highest" />
      </div>
      {error !== null && !known.includes(param ?? "") && (
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

const Tick = ({ name, label }: { name: string; label: string }): ReactNode => (
  <label className="flex min-h-6 items-center gap-2">
    <input type="checkbox" name={name} className="size-4 accent-accent" />
    {label}
  </label>
);

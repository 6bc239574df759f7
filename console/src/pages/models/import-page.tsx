import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import { groupDigits } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Choice } from "../../parts/choice.tsx";
import { INPUT } from "../../parts/field.tsx";
import { BackLink, PageHead } from "../../parts/page-head.tsx";
import { ApplyDialog, type Order } from "./apply-dialog.tsx";
import type { Compared } from "./compared.ts";
import { ImportFields } from "./import-fields.tsx";
import { PriceListDiff } from "./price-list-diff.tsx";
import { useOwnSearch } from "../../shell/use-range.ts";
import { useTicks } from "./use-ticks.ts";
import { type PriceFile, readPriceFile, textOfVendor } from "./price-list-file.ts";

type Source = "file" | "shipped" | "checked";

const SOURCES: readonly { value: Source; name: string }[] = [
  { value: "file", name: "A file" },
  { value: "shipped", name: "Shipped with Tollgate" },
  { value: "checked", name: "The checked list" },
];

/** A price list is read and compared; what it would change is shown before anything is written. */
export function ImportPage(): ReactNode {
  const navigate = useNavigate();
  const { own } = useOwnSearch("/shell/models/import");
  const [source, setSource] = useState<Source>(SOURCES.find(({ value }) => value === own.from)?.value ?? "file");
  const [file, setFile] = useState<PriceFile | null>(null);
  const [isApplying, setIsApplying] = useState(false);
  const seen = useMutation({ mutationFn: compare });
  const ticks = useTicks(seen.data?.compared);
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string): string => String(given.get(name) ?? "").trim();
    seen.mutate({
      list: source === "file" && file !== null ? textOfVendor(file, text("vendor")) : null,
      accept_old_list: given.has("accept_old_list"),
      checked_list: source === "checked",
      provider: text("provider"),
      vendor: text("vendor") || null,
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
        lead="The file model_prices_and_context_window.json of LiteLLM, or api.json of models.dev"
      >
        <form onSubmit={send} className="flex flex-col gap-4">
          <div className="flex">
            <Choice
              label="Where the list comes from"
              value={source}
              choices={SOURCES}
              onChoose={(chosen) => (setSource(chosen as Source), seen.reset())}
            />
          </div>
          {source === "file" && <ListFile file={file} onFile={(read) => (setFile(read), seen.reset())} />}
          {(source !== "file" || file) && (
            <ImportFields
              key={source}
              usual={source === "checked" ? own : {}}
              isShipped={source === "shipped"}
              file={source === "file" ? file : null}
              error={seen.error}
              busy={seen.isPending}
            />
          )}
        </form>
      </Card>
      {seen.data && (
        <PriceListDiff
          compared={seen.data.compared}
          ticks={ticks}
          height={560}
          tools={
            <Button look="primary" disabled={ticks.ids.length === 0} onClick={() => setIsApplying(true)}>
              Apply {groupDigits(ticks.ids.length)} {ticks.ids.length === 1 ? "change" : "changes"}
            </Button>
          }
        />
      )}
      {isApplying && seen.data && (
        <ApplyDialog
          of={seen.data}
          ids={ticks.ids}
          onClose={() => setIsApplying(false)}
          onApplied={() => void navigate({ to: "/models" })}
        />
      )}
    </div>
  );
}

const compare = async (order: Order): Promise<{ order: Order; compared: Compared }> => ({
  order,
  compared: await call("POST /admin/v1/models/import/litellm", { body: order }),
});

type FileProps = { file: PriceFile | null; onFile: (read: PriceFile | null) => void };

function ListFile({ file, onFile }: FileProps): ReactNode {
  const [problem, setProblem] = useState<string | null>(null);
  const choose = async (chosen: File | undefined): Promise<void> => {
    const read = chosen ? readPriceFile(await chosen.text()) : null;
    setProblem(
      chosen && read === null
        ? "The file is not a JSON object. Save the list itself, not the page that shows it."
        : null,
    );
    onFile(read);
  };
  return (
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
        {problem ?? (file && `${groupDigits(file.models)} models of ${file.vendors.length} vendors`)}
      </span>
    </label>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { Card } from "../../parts/card.tsx";
import { Field, INPUT } from "../../parts/field.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useMe } from "../../shell/holder-session.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { ownModelColumns, type Tokens } from "./own-model-columns.tsx";
import { modelsQuery } from "./models-query.ts";

const USUAL: Tokens = { input: 2000, cached: 0, output: 500 };
const EMPTY = {
  title: "No model",
  hint: "Your key has no model that fits. Ask your operator, or take the search away.",
};

/** The models that the key can use: prices, speed, and what a request of a given size costs on each. */
export function MyModels(): ReactNode {
  const { mode } = useMe().key;
  const navigate = useNavigate();
  const { own, changeOwn } = useOwnSearch("/shell/models");
  const asked = useQuery(modelsQuery);
  const find = (own.find ?? "").toLowerCase();
  const rows = (asked.data ?? []).filter(({ id, name }) => `${id} ${name ?? ""}`.toLowerCase().includes(find));
  const tokens = {
    input: readCount(own.input, USUAL.input),
    cached: readCount(own.cached, USUAL.cached),
    output: readCount(own.output, USUAL.output),
  };
  return (
    <div className="flex flex-col gap-4">
      {mode === "credit" && (
        <Card
          title="What would a request cost?"
          lead="The column “This request” has the price of a request of this size on every model. Cached tokens are a part of the input."
        >
          <div className="grid max-w-2xl grid-cols-3 items-end gap-3">
            <Count label="Input tokens" name="input" tokens={tokens} onChange={changeOwn} />
            <Count label="Cached of it" name="cached" tokens={tokens} onChange={changeOwn} />
            <Count label="Output tokens" name="output" tokens={tokens} onChange={changeOwn} />
          </div>
        </Card>
      )}
      <DataTable
        label="Models"
        columns={ownModelColumns(mode === "credit" ? tokens : null)}
        rows={rows}
        rowKey={({ id }) => id}
        height={640}
        onOpen={({ id }) => void navigate({ to: "/playground", search: { use: id } })}
        shown={shownOf(asked, rows.length === 0 ? EMPTY : null)}
        tools={
          <input
            type="search"
            aria-label="Find a model"
            placeholder="Find a model"
            defaultValue={own.find ?? ""}
            onChange={({ target }) => changeOwn({ find: target.value || undefined })}
            className={`${INPUT} w-44!`}
          />
        }
      />
      <p className="text-small text-ink-3">
        Prices are in credits per million tokens. Speed is what all keys of this gateway saw in the last hour; a dash
        means that nobody used the model. Enter, or a click on a row, opens the model in the playground.
      </p>
    </div>
  );
}

const readCount = (text: string | undefined, usual: number): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : usual;

type CountParts = {
  label: string;
  name: keyof Tokens;
  tokens: Tokens;
  onChange: (change: Partial<Record<keyof Tokens, string | undefined>>) => void;
};

const Count = ({ label, name, tokens, onChange }: CountParts): ReactNode => (
  <Field
    label={label}
    inputMode="numeric"
    autoComplete="off"
    defaultValue={groupDigits(tokens[name])}
    onChange={({ target }) => {
      const digits = target.value.replaceAll(/\D/g, "");
      onChange({ [name]: digits === "" ? undefined : digits.slice(0, 9) });
    }}
  />
);

import { Popover } from "@base-ui/react/popover";
import { type ReactNode, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FLOATING } from "../parts/floating.ts";
import type { Find } from "./commands.ts";
import type { FILTERS, PageSearch } from "../routes/search.ts";
import { useSuggested } from "./use-suggested.ts";

/** A filter of the address, and what a row has for it, to be suggested. */
export type FilterField<Row> = {
  name: (typeof FILTERS)[number];
  label: string;
  of: (row: Row) => string | null;
  numeric?: boolean;
  /** Finds more to suggest than the rows have. */
  find?: Find;
};

type Props<Row> = {
  fields: readonly FilterField<Row>[];
  search: PageSearch;
  rows: readonly Row[];
  onChange: (change: PageSearch) => void;
};

/** All filters of a list at once; what the list shows is suggested. */
export function FilterPopover<Row>({ fields, search, rows, onChange }: Props<Row>): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger render={<Button icon="settings" />}>Filter</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-30">
          <Popover.Popup className={`${FLOATING} w-80 max-w-[calc(100vw-24px)] p-3`} aria-label="Filters">
            <form
              className="flex flex-col gap-2"
              onSubmit={(event) => {
                event.preventDefault();
                const given = new FormData(event.currentTarget);
                onChange(Object.fromEntries(fields.map(({ name }) => [name, wordOf(given.get(name))])));
                setOpen(false);
              }}
            >
              {fields.map((field) => (
                <Filter key={field.name} field={field} rows={rows} usual={search[field.name] ?? ""} />
              ))}
              <Button type="submit" look="primary" className="mt-1">
                Show what fits
              </Button>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

type FilterProps<Row> = { field: FilterField<Row>; rows: readonly Row[]; usual: string };

function Filter<Row>({ field, rows, usual }: FilterProps<Row>): ReactNode {
  const { name, label, of, numeric = false, find } = field;
  const [typed, setTyped] = useState("");
  const found = useSuggested(find, typed, name);
  const values = new Set([...found.map(({ word }) => word), ...rows.map(of)]);
  return (
    <div>
      <Field
        label={label}
        name={name}
        list={`filter-${name}`}
        defaultValue={usual}
        onChange={({ target }) => setTyped(target.value)}
        autoComplete="off"
        inputMode={numeric ? "numeric" : "text"}
      />
      <datalist id={`filter-${name}`}>
        {[...values].map(
          (value) =>
            value !== null && (
              <option key={value} value={value}>
                {found.find(({ word }) => word === value)?.title ?? value}
              </option>
            ),
        )}
      </datalist>
    </div>
  );
}

/** What was typed; nothing is no filter. */
export const wordOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

import type { ReactNode } from "react";
import type { RequestRow } from "../../api/generated/admin.ts";
import { INPUT } from "../../parts/field.tsx";
import { type FilterField, wordOf } from "../../shell/filter-popover.tsx";
import { findAccounts, findKeys } from "../../shell/find-holders.ts";
import { accountOf } from "./request-columns.tsx";

/** How a request ended. */
export const CODE_FIELDS: readonly FilterField<Pick<RequestRow, "code" | "status">>[] = [
  { name: "code", label: "Code", of: ({ code }) => code },
  { name: "status", label: "HTTP status", of: ({ status }) => String(status), numeric: true },
];

export const REQUEST_FIELDS: readonly FilterField<RequestRow>[] = [
  { name: "model", label: "Model", of: ({ model }) => model },
  { name: "key", label: "Key, by id or prefix", of: ({ key_prefix: prefix }) => prefix, find: findKeys },
  { name: "account", label: "Account and all below it", of: accountOf, find: findAccounts },
  { name: "provider", label: "Provider asked last", of: ({ provider }) => provider },
  ...CODE_FIELDS,
  { name: "agent", label: "Agent", of: ({ agent }) => agent },
];

export const OUTCOME_CHOICES = [
  { value: undefined, name: "All" },
  { value: "ok", name: "Delivered" },
  { value: "error", name: "Errors" },
  { value: "client_gone", name: "Client disconnected" },
] as const;

/** The id that a client got in `x-request-id`, and the request behind it. */
export function FindRequest({ onFind }: { onFind: (id: string) => void }): ReactNode {
  return (
    <form
      role="search"
      className="w-52"
      onSubmit={(event) => {
        event.preventDefault();
        const id = wordOf(new FormData(event.currentTarget).get("request"));
        if (id !== undefined) onFind(id);
      }}
    >
      <input
        name="request"
        aria-label="Open a request by its id"
        placeholder="x-request-id, then Enter"
        autoComplete="off"
        spellCheck={false}
        className={INPUT}
      />
    </form>
  );
}

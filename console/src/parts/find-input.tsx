import type { ReactNode } from "react";
import { LONGEST_SEARCH } from "./use-settled.ts";
import { INPUT } from "./field.tsx";

type Props = { label: string; value: string | undefined; onFind: (text: string | undefined) => void; busy?: boolean };

/** Finds rows of a list as one types. */
export const FindInput = ({ label, value, onFind, busy = false }: Props): ReactNode => (
  <input
    type="search"
    aria-label={label}
    aria-busy={busy}
    placeholder="Find…"
    maxLength={LONGEST_SEARCH}
    defaultValue={value}
    onChange={({ target }) => onFind(target.value || undefined)}
    className={`${INPUT} w-24! sm:w-48!`}
  />
);

import type { ReactNode } from "react";
import { Icon } from "../parts/icon.tsx";
import { FILTERS } from "../routes/search.ts";
import { usePageSearch } from "./use-range.ts";

/** The filters that hold on all pages, each with its way out. */
export function FilterChips(): ReactNode {
  const { search, change } = usePageSearch();
  const set = FILTERS.filter((name) => search[name] !== undefined);
  if (set.length === 0) return null;
  return (
    <ul aria-label="Filters" className="mb-3 flex flex-wrap gap-2">
      {set.map((name) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => change({ [name]: undefined })}
            aria-label={`${name} ${search[name]}: remove this filter`}
            className="flex h-7 items-center gap-1.5 rounded-full bg-accent-soft px-3 text-small text-accent"
          >
            <span>{name}</span>
            <span className="font-medium">{search[name]}</span>
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}

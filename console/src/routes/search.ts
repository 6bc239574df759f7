/** What the address of a page has after its path: the span of time and the filters. All pages share it. */
export type PageSearch = {
  /** A span that ends now, such as `7d`. */
  range?: string | undefined;
  /** A span of its own, in ISO 8601. */
  from?: string | undefined;
  to?: string | undefined;
  account?: string | undefined;
  key?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  /** How a request ended. Only the list of requests asks for these, so other pages do not get them along. */
  code?: string | undefined;
  status?: string | undefined;
  outcome?: string | undefined;
  agent?: string | undefined;
  /** Of the audit log alone. */
  actor?: string | undefined;
  action?: string | undefined;
  resource?: string | undefined;
};

const COMMON = ["account", "key", "model", "provider"] as const;
export const FILTERS = [...COMMON, "code", "status", "outcome", "agent", "actor", "action", "resource"] as const;
/** What goes along from page to page. */
export const SHARED = ["range", "from", "to", ...COMMON] as const;
const KNOWN = ["range", "from", "to", ...FILTERS] as const;

/** Takes what is known and leaves the rest out; a value is text and nothing else. */
export const readTexts = <Name extends string>(given: Record<string, unknown>, names: readonly Name[]): Texts<Name> =>
  Object.fromEntries(
    names.flatMap((name) => (typeof given[name] === "string" && given[name] !== "" ? [[name, given[name]]] : [])),
  ) as Texts<Name>;

type Texts<Name extends string> = { [Each in Name]?: string | undefined };

export const readSearch = (given: Record<string, unknown>): PageSearch => readTexts(given, KNOWN);

/** As people write addresses: `?range=7d&model=acme-large`, without quotes or JSON. */
export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));

export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

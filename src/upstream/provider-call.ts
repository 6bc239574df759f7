import type { ProviderDialect } from "../core/dialect.ts";

type ProviderCall = { path: string; credential: (secret: string) => Record<string, string> };

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

/** How each provider dialect is addressed. A dialect without a row cannot be called, so its routes are left out of every plan. */
const CALLS: Partial<Record<ProviderDialect, ProviderCall>> = {
  chat: { path: "/chat/completions", credential: bearer },
};

/** Only these headers go to a provider; nothing of the caller's is passed on. */
export function providerCall(
  dialect: ProviderDialect,
  credential: string | null,
): { path: string; headers: Record<string, string> } | null {
  const row = CALLS[dialect];
  if (!row) return null;
  return {
    path: row.path,
    headers: {
      "content-type": "application/json",
      "user-agent": "tollgate",
      ...(credential === null ? {} : row.credential(credential)),
    },
  };
}

export function canCall(dialect: ProviderDialect): boolean {
  return CALLS[dialect] !== undefined;
}

import { PROVIDER_DIALECTS, type ProviderDialect } from "../../core/dialect.ts";
import { isObject } from "../../core/is-object.ts";

/**
 * What only the dialect it came from understands: a signature over thinking, thoughts a provider has encrypted. It is carried
 * through other dialects as it came, and handed back to its own alone.
 */
export type Native = { dialect: ProviderDialect; value: Record<string, unknown> };

/** No text of a provider's begins so, and no JSON writes it otherwise. */
export const SEAL_MARK = "tollgate.";
const SEALED = new RegExp(`^tollgate\\.(${PROVIDER_DIALECTS.join("|")})\\.([\\w-]+)$`);

/** In the place of a signature where nobody gave one, so that thinking is known for ours when it comes back. */
export const UNSIGNED = `${SEAL_MARK}unsigned.`;

/** As one text, for the field of another dialect that its clients send back unread. */
export function sealNative({ dialect, value }: Native): string {
  return `${SEAL_MARK}${dialect}.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
}

/** Whether a text stands here for what another dialect's provider said, or for nothing. */
export const isSealed = (text: unknown): boolean => typeof text === "string" && text.startsWith(SEAL_MARK);

/** Null: not a text of ours. A caller can forge one, and gains nothing: it could say the same in the dialect itself. */
export function openNative(text: unknown): Native | null {
  const match = typeof text === "string" ? SEALED.exec(text) : null;
  if (match === null) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(match[2] ?? "", "base64url").toString("utf8"));
    return isObject(value) ? { dialect: match[1] as ProviderDialect, value } : null;
  } catch {
    return null;
  }
}

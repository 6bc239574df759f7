import { PROVIDER_DIALECTS, type ProviderDialect } from "../../core/request/dialect.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import type { Stamp } from "../../wire/stamp.ts";

/**
 * What only the dialect it came from understands: a signature over thinking, thoughts a provider has encrypted. It is carried
 * through other dialects as it came, and handed back to its own alone.
 */
export type Native = { dialect: ProviderDialect; value: Record<string, unknown> };

/** No text of a provider's begins so, and no JSON writes it otherwise. */
export const SEAL_MARK = "tollgate.";
const SEALED = new RegExp(`^tollgate\\.((${PROVIDER_DIALECTS.join("|")})\\.([\\w-]+))\\.([\\w-]{22})$`);

/** In the place of a signature where nobody gave one, so that thinking is known for ours when it comes back. */
const UNSIGNED = `${SEAL_MARK}unsigned.`;

/** As one text, for the field of another dialect that its clients send back unread. Null: what nobody signed. */
export type Seal = (native: Native | null) => string;

/** Null: not a text that was sealed here for this caller. */
export type OpenSeal = (text: unknown) => Native | null;

/** For texts that no caller brought back. */
export const opensNothing: OpenSeal = () => null;

/** How one caller's texts are sealed and opened. Without its stamp nothing is sealed, and nothing opens. */
export function sealsOf(stamp: Stamp | undefined): { seal: Seal; open: OpenSeal } {
  return {
    seal: (native) => (native === null || stamp === undefined ? UNSIGNED : sealNative(native, stamp)),
    open: (text) => (stamp === undefined ? null : openNative(text, stamp)),
  };
}

/** Whether a text stands here for what another dialect's provider said, or for nothing. Anybody can write one that begins so. */
export const isSealed = (text: unknown): boolean => typeof text === "string" && text.startsWith(SEAL_MARK);

function sealNative({ dialect, value }: Native, stamp: Stamp): string {
  const sealed = `${dialect}.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
  return `${SEAL_MARK}${sealed}.${stamp.make(sealed)}`;
}

function openNative(text: unknown, stamp: Stamp): Native | null {
  const match = isSealed(text) ? SEALED.exec(text as string) : null;
  if (match === null) return null;
  const [, sealed = "", dialect, payload = "", mac = ""] = match;
  if (!stamp.holds(sealed, mac)) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return isObject(value) ? { dialect: dialect as ProviderDialect, value } : null;
  } catch {
    return null;
  }
}

import { createHash } from "node:crypto";
import type { Description } from "../core/description.ts";

/** Bytes that are the same for everyone, with what a browser or proxy needs to keep them. */
export type PublishedPage = { body: Buffer; etag: string; headers: Record<string, string> };

/** Short enough that an upgrade is seen soon. */
const CACHE_CONTROL = "public, max-age=300";

export function publish({ text, policy }: Description): PublishedPage {
  const body = Buffer.from(text);
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const headers: Record<string, string> =
    policy === null
      ? { "content-type": "application/json" }
      : {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": policy,
          "referrer-policy": "no-referrer",
        };
  return {
    body,
    etag,
    headers: { ...headers, etag, "cache-control": CACHE_CONTROL, "x-content-type-options": "nosniff" },
  };
}

/** Whether the reader already has it, by the header `If-None-Match`. A weak tag is as good as a strong one here. */
export function hasPage(ifNoneMatch: string | undefined, { etag }: PublishedPage): boolean {
  const given = ifNoneMatch?.split(",") ?? [];
  return given.some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}

import { createHash } from "node:crypto";
import { SCRIPT } from "../../build/openapi/page/script.ts";
import { STYLE } from "../../build/openapi/page/style.ts";

/** Bytes that are the same for everyone, with what a browser or proxy needs to keep them. */
export type PublishedPage = { body: Buffer; etag: string; headers: Record<string, string> };

/** Short enough that an upgrade is seen soon. */
const CACHE_CONTROL = "public, max-age=300";

/** A description for machines. */
export const publishJson = (json: string): PublishedPage => publish(json, { "content-type": "application/json" });

/** A description for people. */
export const publishHtml = (html: string): PublishedPage =>
  publish(html, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(),
    "referrer-policy": "no-referrer",
  });

/**
 * Our style and our script are allowed by their hashes, and nothing else: nothing is loaded, and a script that found its way into
 * the text would not run.
 */
function contentSecurityPolicy(): string {
  const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `style-src ${hash(STYLE)}`,
    `script-src ${hash(SCRIPT)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function publish(text: string, headers: Record<string, string>): PublishedPage {
  const body = Buffer.from(text);
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
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

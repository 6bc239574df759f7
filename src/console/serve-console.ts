import type { AskedFile, ServedFile, ServeFile } from "../core/served-file.ts";
import type { ConsoleFile, ConsoleFiles } from "./console-files.ts";
import { NOT_BUILT } from "./not-built.ts";

/** Which of the two pages a listener has: operators' or key holders'. */
export type ConsolePage = "index.html" | "holder.html";

/**
 * Only our own files are loaded and run, only our own listener is asked, and no other site shows the console in a frame. No style
 * or script may stand in the page itself.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const ALWAYS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};
const PAGE_HEADERS = { ...ALWAYS, "content-security-policy": POLICY, "cross-origin-opener-policy": "same-origin" };
/** The page names the files of its version, so it is asked for again each time; the files have their content in their name. */
const ASK_AGAIN = "no-cache";
const FOR_EVER = "public, max-age=31536000, immutable";

/** Answers what is asked below `/console`. A path without a file is an address within the console, which its page reads. */
export const createServeConsole =
  (files: ConsoleFiles, page: ConsolePage): ServeFile =>
  (asked) => {
    const isAsset = asked.path.startsWith("assets/");
    const file = files.get(isAsset ? asked.path : page);
    if (file === undefined) return isAsset ? MISSING : UNBUILT;
    return answer(
      file,
      asked,
      isAsset ? { ...ALWAYS, "cache-control": FOR_EVER } : { ...PAGE_HEADERS, "cache-control": ASK_AGAIN },
    );
  };

function answer(
  { type, etag, bodies }: ConsoleFile,
  { acceptEncoding, ifNoneMatch }: AskedFile,
  headers: Record<string, string>,
): ServedFile {
  const shared = { ...headers, etag, vary: "accept-encoding" };
  if (isKnown(ifNoneMatch, etag)) return { status: 304, headers: shared, body: Buffer.alloc(0) };
  const encoding = (["br", "gzip"] as const).find((each) => bodies[each] && accepts(acceptEncoding, each));
  const packed: Record<string, string> = encoding === undefined ? {} : { "content-encoding": encoding };
  return {
    status: 200,
    headers: { ...shared, ...packed, "content-type": type },
    body: bodies[encoding ?? "identity"] ?? bodies.identity,
  };
}

/** Whether a coding is listed and not ruled out by `q=0`. [RFC 9110 12.5.3] */
function accepts(header: string | undefined, coding: string): boolean {
  const listed = (header ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((word) => word.trim()));
  return listed.some(([name, weight]) => name === coding && !/^q=0(\.0*)?$/.test(weight ?? ""));
}

const isKnown = (given: string | undefined, etag: string): boolean =>
  (given?.split(",") ?? []).some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));

const MISSING: ServedFile = {
  status: 404,
  headers: { ...ALWAYS, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: Buffer.from("The console has no such file. It may be of another version: reload the page.\n"),
};

const UNBUILT: ServedFile = {
  status: 503,
  headers: { ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  body: Buffer.from(NOT_BUILT),
};

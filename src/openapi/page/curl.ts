import type { Operation } from "../document.ts";
import { EXAMPLE_MODEL } from "../examples.ts";
import { writeJson } from "./write-json.ts";

type Call = { server: string; path: string; operation: Operation; body: unknown };

const PLAIN = /^[\w.:/-]+$/;

/** A command that can be pasted into a shell whose `TOLLGATE_KEY` holds a key. */
export function curlFor({ server, path, operation, body }: Call): string {
  const url = `${server === "/" ? "" : server}${path.replace("{id}", EXAMPLE_MODEL)}`;
  const parts = [`curl ${streams(body) ? "-N " : ""}${PLAIN.test(url) ? url : quoted(url)}`];
  if (operation.security.some((scheme) => "bearer" in scheme)) parts.push('-H "authorization: Bearer $TOLLGATE_KEY"');
  if (body !== undefined) parts.push("-H 'content-type: application/json'", `-d ${quoted(writeJson(body, "  "))}`);
  return parts.join(" \\\n  ");
}

function streams(body: unknown): boolean {
  return typeof body === "object" && body !== null && "stream" in body && body.stream === true;
}

/** For a shell, which takes everything between single quotes as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

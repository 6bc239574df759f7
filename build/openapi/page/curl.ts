import { quoted, shellWord } from "../../../src/description/put-url.ts";
import type { Operation, Parameter } from "../document.ts";
import { writeJson } from "./write-value.ts";

/**
 * Variables of the shell: where the listener is, null where its address is known, and what holds the credential; and whether
 * clients' libraries can call it.
 */
export type Shell = { origin: string | null; credential: string; sdks: "official" | "none" };

type Call = {
  server: string;
  method: string;
  path: string;
  parameters: readonly Parameter[];
  operation: Operation;
  body: unknown;
  shell: Shell;
};

/** A command that can be pasted into a shell that has these variables. */
export function curlFor({ server, method, path, parameters, operation, body, shell }: Call): string {
  const exact = parameters.reduce((text, { name, example = "" }) => text.replace(`{${name}}`, example), path);
  const flags = `${streams(body) ? "-N " : ""}${needsMethod(method, body) ? `-X ${method.toUpperCase()} ` : ""}`;
  const parts = [`curl ${flags}${addressOf(server, exact, shell)}`];
  if (operation.security.some((scheme) => "bearer" in scheme))
    parts.push(`-H "authorization: Bearer $${shell.credential}"`);
  if (body !== undefined) parts.push("-H 'content-type: application/json'", `-d ${quoted(writeJson(body, "  "))}`);
  return parts.join(" \\\n  ");
}

/** With a body it sends a POST, without one a GET. */
const needsMethod = (method: string, body: unknown): boolean => method !== (body === undefined ? "get" : "post");

function addressOf(server: string, path: string, { origin }: Shell): string {
  if (origin !== null) return `"$${origin}${path}"`;
  return shellWord(`${server === "/" ? "" : server}${path}`);
}

function streams(body: unknown): boolean {
  return typeof body === "object" && body !== null && "stream" in body && body.stream === true;
}

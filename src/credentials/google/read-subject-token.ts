import { AmbientError, type AmbientSources } from "../ambient/ambient.ts";
import { objectIn } from "../ambient/ask-for-json.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { isToken } from "../ambient/issued-token.ts";
import { readNamedFile } from "../ambient/read-named-file.ts";
import type { CredentialFile } from "./credential-file.ts";

const TIMEOUT_MS = 10_000;
const REFUSED: Record<string, string> = {
  executable: "runs a program, which the gateway does not",
  certificate: "needs a client certificate, which is not supported",
  environment_id: "federates from AWS, which is not supported",
};

/** The token that another issuer gave this workload, from a file or an address that the credential file names. */
export async function readSubjectToken(
  sources: AmbientSources,
  { name, members }: CredentialFile,
  signal: AbortSignal,
): Promise<string> {
  const source = members["credential_source"];
  if (!isObject(source)) throw new AmbientError(`${name} needs credential_source.`);
  for (const [member, words] of Object.entries(REFUSED))
    if (source[member] !== undefined)
      throw new AmbientError(`credential_source.${member} of ${name} ${words}. Use credential_source.file or .url.`);
  const { file, url } = source;
  if ((typeof file === "string") === (typeof url === "string"))
    throw new AmbientError(`credential_source of ${name} needs either file or url.`);
  const text =
    typeof file === "string"
      ? await readNamedFile(sources, `credential_source.file of ${name}`, file)
      : await askForText(sources, { name, url: String(url), headers: source["headers"] }, signal);
  const token = tokenIn(text, source["format"], name);
  if (isToken(token)) return token;
  throw new AmbientError(`credential_source of ${name} leads to no usable token. Check its format.`);
}

function tokenIn(text: string, format: unknown, name: string): unknown {
  const { type = "text", subject_token_field_name: field } = isObject(format) ? format : {};
  if (type === "text") return text.trim();
  if (type !== "json" || typeof field !== "string")
    throw new AmbientError(`credential_source.format of ${name} must be text, or json with subject_token_field_name.`);
  const value = objectIn(text)?.[field];
  return typeof value === "string" ? value.trim() : value;
}

type Place = { name: string; url: string; headers: unknown };

async function askForText(sources: AmbientSources, place: Place, signal: AbortSignal): Promise<string> {
  const name = `credential_source.url of ${place.name}`;
  const url = URL.parse(place.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "")
    throw new AmbientError(`${name} must be an address of http or https.`);
  const headers = headersOf(place.headers, place.name);
  const address = url.origin + url.pathname;
  try {
    const answer = await sources.ask({ url: url.href, method: "GET", headers, timeoutMs: TIMEOUT_MS, signal });
    if (answer.status === 200) return answer.text;
    throw new AmbientError(`${name}, ${address}, answered ${answer.status}. Check the address and its headers.`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AmbientError) throw error;
    throw new AmbientError(`${name}, ${address}, did not answer. Check that this process may reach it.`);
  }
}

function headersOf(given: unknown, name: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(isObject(given) ? given : {})) {
    if (!/^[\w-]+$/.test(header) || typeof value !== "string")
      throw new AmbientError(`credential_source.headers of ${name} must be names with texts.`);
    headers[header] = value;
  }
  return headers;
}

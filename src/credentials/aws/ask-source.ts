import { AmbientError, type AmbientSources, type AskCloud } from "../ambient/ambient.ts";
import { nameOfFile, readNamedFile } from "../ambient/read-named-file.ts";

export type SourceQuestion = Omit<Parameters<AskCloud>[0], "url"> & {
  url: URL;
  /** Names the source at the start of an error. */
  place: string;
  /** What the operator can do, at the end of an error. */
  mend: string;
};

const CODE = /<Code>([\w.]{1,64})<\/Code>|"code"\s*:\s*"([\w.]{1,64})"/i;

/** The text of an answer with status 200. Of every other answer, errors repeat the status and the code. */
export async function askSource({ ask }: AmbientSources, question: SourceQuestion): Promise<string> {
  const { url, place, mend, ...rest } = question;
  const answer = await ask({ ...rest, url: url.href }).catch((cause: unknown) => {
    question.signal.throwIfAborted();
    throw cause instanceof AmbientError
      ? cause
      : new AmbientError(`${place} gave no answer (${reasonOf(cause)}). ${mend}`);
  });
  if (answer.status === 200) return answer.text;
  const [, fromXml, fromJson] = CODE.exec(answer.text) ?? [];
  const words = [`status ${answer.status}`, fromXml ?? fromJson].filter((word) => word !== undefined).join(", ");
  const redirects = answer.status >= 300 && answer.status < 400 ? " Redirects are not followed." : "";
  throw new AmbientError(`${place} refused (${words}).${redirects} ${mend}`);
}

/** A whole message may repeat a header, and with it a credential. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "TimeoutError") return "timeout";
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : error.name;
}

/** An address in a variable. Plain HTTP is for the named hosts and for this machine; nothing of the address but its origin is ever repeated. */
export function readSourceUrl(variable: string, text: string, plainHosts: readonly string[]): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") {
    throw new AmbientError(`${variable} must be an address that begins with https:// or http://, without a user name.`);
  }
  if (url.protocol === "https:" || isLoopback(url.hostname) || plainHosts.includes(url.hostname)) return url;
  const allowed = ["this machine", ...plainHosts].join(", ");
  throw new AmbientError(`${variable} must begin with https://. Plain HTTP is allowed only to ${allowed}.`);
}

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** A token in a file, which the platform writes again from time to time. */
export async function readTokenFile(sources: AmbientSources, variable: string, path: string): Promise<string> {
  return headerSafe(`The file that ${nameOfFile(variable, path)} names`, await readNamedFile(sources, variable, path));
}

/** An HTTP client repeats a header that it cannot send in its error. */
export function headerSafe(place: string, text: string): string {
  if (text === "") throw new AmbientError(`${place} is empty.`);
  if (!/^[\x20-\x7e]+$/.test(text)) throw new AmbientError(`${place} has characters that no token has.`);
  return text;
}

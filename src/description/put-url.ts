import type { Address } from "../core/description.ts";
import { escapeHtml } from "../core/text/escape-html.ts";

/** Stands for the base URL in what is made with the package. Nobody can have a host of this name [RFC 2606]. */
export const URL_PLACE = "https://tollgate.invalid";

const IN_JSON = /"https:\/\/tollgate\.invalid([^"]*)"/g;

/** What is before the URL on a page says how it is written there: in a command, in a string of a program, or as text. */
const ON_PAGE = /(curl (?:-\w (?:[A-Z]+ )?)*|&quot;)?https:\/\/tollgate\.invalid([^\s<&"]*)/g;

const PLAIN = /^[\w.:/-]+$/;

/** For a shell, which takes everything between single quotes as it is. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const shellWord = (text: string): string => (PLAIN.test(text) ? text : quoted(text));

/** The document for clients at this base URL. Without one, its URLs are relative to where it was found. */
export const putUrlInDocument = (json: string, publicUrl: string): string =>
  json.replaceAll(IN_JSON, (_, path: string) => JSON.stringify(`${publicUrl}${path}` || "/"));

/** The page with this base URL. Only one that was guessed may be replaced by the one that the reader used. */
export const putUrlOnPage = (html: string, publicUrl: string, address: Address): string =>
  (address === "set" ? html.replace(` data-url="${URL_PLACE}"`, "") : html).replaceAll(
    ON_PAGE,
    (_, before: string | undefined, path: string) => {
      const url = `${publicUrl}${path}`;
      if (before === undefined) return escapeHtml(url);
      return before + escapeHtml(before === "&quot;" ? JSON.stringify(url).slice(1, -1) : shellWord(url));
    },
  );

import type { Native, OpenSeal, Seal } from "./native.ts";
import type { Json } from "../../core/bytes/json.ts";
import { numberOrNull, objectOf, objectsOf, textOf } from "./read-json.ts";

/** Where something that was said can be looked up. Places within documents of the request have no counterpart elsewhere. */
export type Citation = {
  url: string;
  title: string;
  /** The words of the source; empty where the provider does not quote it. */
  quote: string;
  /** Which characters of the block's text rest on it; null: all of them. */
  span: { start: number; end: number } | null;
  /** As its provider wrote it, where that says more. */
  native: Native | null;
};

/** `url_citation` as responses writes it and chat nests it, in a text that begins at `offset` of what is counted from. */
export function citationOfUrl(given: unknown, offset = 0): Citation | null {
  const { type, url_citation: nested, ...flat } = objectOf(given);
  const { url, title, start_index: start, end_index: end } = type === "url_citation" ? objectOf(nested ?? flat) : {};
  if (typeof url !== "string") return null;
  return { url, title: textOf(title), quote: "", span: spanOf(start, end, offset), native: null };
}

/** A citation of messages that names an address. */
export function citationOfSource(given: unknown, open: OpenSeal): Citation | null {
  const citation = objectOf(given);
  const { type, url, source, title, cited_text: quote, encrypted_index: index } = citation;
  const address = type === "web_search_result_location" ? url : type === "search_result_location" ? source : null;
  if (typeof address !== "string" || !URL.canParse(address)) return null;
  const { start_index: start, end_index: end } = open(index)?.value ?? {};
  return {
    url: address,
    title: textOf(title),
    quote: textOf(quote),
    span: spanOf(start, end, 0),
    native: { dialect: "messages", value: citation },
  };
}

export function urlCitation(
  { url, title, span }: Citation,
  { offset, length }: { offset: number; length: number },
): Json {
  return {
    start_index: offset + (span?.start ?? 0),
    end_index: offset + (span?.end ?? length),
    title,
    url,
  };
}

/**
 * As messages writes it. Its own mark of the place is unknown here; in its stead stand the characters meant, in the terms of
 * responses, so that they are known when it comes back.
 */
export function sourceCitation({ url, title, quote, span, native }: Citation, seal: Seal): Json {
  if (native?.dialect === "messages") return native.value;
  const value = span === null ? {} : { start_index: span.start, end_index: span.end };
  return {
    type: "web_search_result_location",
    url,
    title,
    cited_text: quote,
    encrypted_index: seal({ dialect: "responses", value }),
  };
}

export const citationsOfUrls = (given: unknown, offset = 0): Citation[] =>
  objectsOf(given).flatMap((annotation) => citationOfUrl(annotation, offset) ?? []);

function spanOf(start: unknown, end: unknown, offset: number): Citation["span"] {
  const from = numberOrNull(start);
  const to = numberOrNull(end);
  return from === null || to === null ? null : { start: Math.max(0, from - offset), end: Math.max(0, to - offset) };
}

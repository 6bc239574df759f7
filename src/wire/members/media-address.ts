import { dataUrlType, isMediaOf, mediaTypeProblem } from "../../core/request/media-type.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import type { MemberRefusal } from "./refusal.ts";
import type { MemberMedia } from "./shape.ts";

/** Where media may be fetched from: `https` addresses, or nowhere, so that it comes inline. */
export type MediaUrls = "https" | "none";

/** Longer than any signed address; more of it would only keep the process busy. */
const LONGEST = 16_384;

/** What a scheme looks like, for readers that skip what stands before it. */
const SCHEME = /^[\s\p{Cc}]*([a-z][a-z0-9+.-]{0,31}):/iu;
/** Characters on which readers of addresses differ: one takes them for nothing, another for a slash or the end. */
const DOUBTFUL = /[\s\p{Cc}\\]/u;

/**
 * Why a provider is not told to fetch media from there; null: it may be. What another reader could take for another address is
 * none, for a provider that runs beside private machines must not be sent to them. [interface decision 13]
 */
export function mediaProblem(text: string, { form, holds }: MemberMedia, allowed: MediaUrls): string | null {
  if (/^data:/i.test(text)) {
    const type = dataUrlType(text) ?? "";
    return holds === null || isMediaOf(holds, type) ? null : mediaTypeProblem(holds, type);
  }
  // Base64 has no colon, so that bytes are never taken for an address.
  if (form === "bytes" && !text.slice(0, 256).includes(":")) return null;
  const scheme = SCHEME.exec(text.slice(0, 256))?.[1]?.toLowerCase();
  if (allowed === "none") return "Media URLs aren't accepted. Send the media inline as a data: URL.";
  if (scheme !== "https") return `Media URLs must be https: or data: URLs${scheme ? `, not ${scheme}:` : ""}.`;
  if (text.length > LONGEST) return `The URL has ${counted(text.length)} characters; the limit is ${counted(LONGEST)}.`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (DOUBTFUL.test(text) || url === null || url.protocol !== "https:" || !/^https:\/\/[^/]/i.test(text)) {
    return "Input should be an https: URL without spaces or backslashes.";
  }
  return url.username || url.password ? "The URL must not contain a user name or password." : null;
}

/** A source says what it holds, and the part around it what that is taken for. */
export function wrongSource({
  type,
  source,
}: Readonly<Record<string, unknown>>): readonly [string, MemberRefusal] | null {
  if ((type !== "image" && type !== "document") || !isObject(source)) return null;
  const { media_type: said, url, data } = source;
  const types = [
    // Bytes without a type are for the provider to make something of, so there has to be one.
    typeof data === "string" ? (typeof said === "string" ? said : "") : said,
    typeof url === "string" ? dataUrlType(url) : null,
  ];
  const wrong = types.find((each) => typeof each === "string" && !isMediaOf(type, each));
  return typeof wrong === "string" ? ["source", { words: mediaTypeProblem(type, wrong) }] : null;
}

const counted = (value: number): string => value.toLocaleString("en-US");

/** What a part says it holds. A document may be a picture of its pages; a picture is nothing else. */
export type MediaKind = "image" | "document";

const IMAGES: ReadonlySet<string> = new Set(
  ["png", "jpeg", "jpg", "gif", "webp", "heic", "heif", "avif", "bmp"].map((type) => `image/${type}`),
);
const DOCUMENTS = [
  /^text\/[\w.+-]+$/,
  /^application\/(?:pdf|json|xml|rtf|yaml|x-yaml|javascript|msword|epub\+zip)$/,
  /^application\/vnd\.(?:openxmlformats-officedocument|ms-|oasis\.opendocument)[\w.+-]*$/,
];

/**
 * Whether media of a type may stand in a part of a kind. Only what is listed: what a part holds is reserved for as its kind, so anything
 * else, such as a film in a picture, would be bought at the price of a picture.
 */
export const isMediaOf = (kind: MediaKind, mediaType: string): boolean => {
  const type = mediaType.toLowerCase();
  return IMAGES.has(type) || (kind === "document" && DOCUMENTS.some((known) => known.test(type)));
};

/** What a data: URL says that it holds, without its parameters; null: it is no such URL. */
export function dataUrlType(url: string): string | null {
  const match = /^\s*data:([^,;]{0,200})/i.exec(url.slice(0, 256));
  return match && (match[1] ?? "").trim();
}

/** What is wrong with a type, and what to do about it. */
export function mediaTypeProblem(kind: MediaKind, mediaType: string): string {
  const named = /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? `Media type '${mediaType}'` : "This media type";
  return kind === "image"
    ? `${named} isn't supported in an image. Send PNG, JPEG, GIF or WebP.`
    : `${named} isn't supported in a document. Send PDF, text or an image.`;
}

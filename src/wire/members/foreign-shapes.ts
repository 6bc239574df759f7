import { CACHED_CONTENT, FILE, FOREIGN, RETRIES } from "./refusal.ts";
import { type Shape, shapeOf } from "./shape.ts";

const FILE_URI = shapeOf({ refused: { fileUri: FILE, file_uri: FILE } });
const BUCKET = shapeOf({ refused: { s3Location: FILE } });
const OF_BUCKET = shapeOf({ inside: { source: () => BUCKET } });

/** What the formats of two providers call what they keep, wherever their own clients put it in a part of content. */
export const foreignParts: Readonly<Record<string, () => Shape>> = {
  fileData: () => FILE_URI,
  file_data: () => FILE_URI,
  image: () => OF_BUCKET,
  document: () => OF_BUCKET,
  video: () => OF_BUCKET,
};

const GOOGLE = shapeOf({ refused: { cached_content: CACHED_CONTENT, cachedContent: CACHED_CONTENT } });

/** Some servers read members of this one as if they stood beside it. */
const EXTRA_BODY = shapeOf({ refused: FOREIGN, dropped: RETRIES, inside: { google: () => GOOGLE } });
export const foreignBody: Readonly<Record<string, () => Shape>> = { extra_body: () => EXTRA_BODY };

/** Media that some servers take in forms of their own. */
const ADDRESS = shapeOf({ addresses: "url" });
export const foreignMedia: Readonly<Record<string, () => Shape>> = {
  video_url: () => ADDRESS,
  audio_url: () => ADDRESS,
  document_url: () => ADDRESS,
};
export const FOREIGN_MEDIA = Object.keys(foreignMedia).join(" ");

/** Objects of which nothing is known but their members' names. */
export const leaf = (names: string): (() => Shape) => {
  const shape = shapeOf({ optional: names });
  return () => shape;
};

import { Fault } from "../../core/fault.ts";
import type { Json } from "../../core/bytes/json.ts";
import { hasWords, sentSource } from "../form/build-form.ts";
import type { Block } from "../form/request-form.ts";

type Media = Extract<Block, { kind: "image" | "document" }>;

const IMAGES: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  // Not a registered name, and understood by the others all the same.
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const OFFICE = "application/vnd.openxmlformats-officedocument";
const DOCUMENTS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/msword": "doc",
  [`${OFFICE}.wordprocessingml.document`]: "docx",
  "application/vnd.ms-excel": "xls",
  [`${OFFICE}.spreadsheetml.sheet`]: "xlsx",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
};

/** Text under another name. */
const TEXT = /^(?:text\/[\w.+-]+|application\/(?:json|xml|yaml|x-yaml|javascript))$/;

type Format = { as: "image" | "document"; format: string };

/** What media of a type are called here; null: there is no name for them. A document may be a picture of its pages. */
export function formatOf(mediaType: string): Format | null {
  const type = mediaType.toLowerCase();
  const image = IMAGES[type];
  if (image !== undefined) return { as: "image", format: image };
  const document = DOCUMENTS[type] ?? (TEXT.test(type) ? "txt" : undefined);
  return document === undefined ? null : { as: "document", format: document };
}

/** Gives documents names that are taken: of few characters, and each once in a request. */
export type NameDocument = (given: string | null) => string;

const LONGEST_NAME = 200;

export function createDocumentNames(): NameDocument {
  const taken = new Set<string>();
  return (given) => {
    const plain =
      (given ?? "")
        .replaceAll(/[^a-zA-Z0-9()[\]-]+/g, " ")
        .trim()
        .slice(0, LONGEST_NAME - 6) || "Document";
    let name = plain;
    for (let n = 2; taken.has(name); n++) name = `${plain} ${n}`;
    taken.add(name);
    return name;
  };
}

/** What is at an address has been refused by then, and so has what has no name here. */
export function mediaPart(block: Media, nameDocument: NameDocument): Json[] {
  const source = sentSource(block);
  if (source.kind === "url") return [];
  const found = formatOf(source.mediaType);
  if (found === null || (block.kind === "image" && found.as !== "image"))
    throw new Fault("invalid_request", "This media type isn't supported by the providers of this model.");
  const { as, format } = found;
  if (block.kind === "image" || as === "image") return [{ image: { format, source: { bytes: source.data } } }];
  const name = nameDocument(block.name);
  // A name that is not taken as it is is told in words.
  const title = block.name !== null && block.name !== name && hasWords(block.name) ? [{ text: block.name }] : [];
  return [...title, { document: { format, name, source: { bytes: source.data } } }];
}

/** What a listener says of its own interface: for machines as a document, for people as a page. */
export type DescriptionOrder =
  | { listener: "public"; as: "document" | "page"; publicUrl: string; address: "set" | "guessed" }
  | { listener: "admin"; as: "document" | "page" };

/** Writes one of them. It takes a tenth of a second of processor time or more. */
export type WriteDescription = (order: DescriptionOrder) => Promise<string>;

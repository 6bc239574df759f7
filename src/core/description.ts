/** Whether the operator set the base URL. If not, it is the listener's own address, which a proxy may hide from readers. */
export type Address = "set" | "guessed";

/** What a listener says of its own interface: for machines as a document, for people as a page. */
export type DescriptionOrder =
  | { listener: "public"; as: "document" | "page"; publicUrl: string; address: Address }
  | { listener: "admin"; as: "document" | "page" };

/** `policy`: what a browser may run and load of a page; null of a document. */
export type Description = { text: string; policy: string | null };

export type ReadDescription = (order: DescriptionOrder) => Promise<Description>;

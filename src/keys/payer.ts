import type { Key } from "./key.ts";

/** Whose doing a request is, however many keys and sessions somebody has: the person who signed in, else the key. */
export const payerOf = ({ personId, id }: Pick<Key, "personId" | "id">): string => personId ?? id;

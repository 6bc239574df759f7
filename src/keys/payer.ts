import type { Key } from "./key.ts";

/** Whose doing a request is: of a session the person who signed in, however many sessions they have; else the key's. */
export const payerOf = ({ personId, id }: Pick<Key, "personId" | "id">): string => personId ?? id;

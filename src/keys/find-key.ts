import { Fault } from "../core/fault.ts";
import type { Key, KeyStore } from "./key.ts";

/** The one key an operator means by an id or a prefix. */
export type FindKey = (idOrPrefix: string) => Promise<Key>;

/** Whatever is neither an id nor a prefix needs no database to be unknown. */
const NAME = /^[\w-]{1,64}$/;

export const createFindKey =
  ({ store }: { store: Pick<KeyStore, "find"> }): FindKey =>
  async (idOrPrefix) => {
    const [key, ...others] = NAME.test(idOrPrefix) ? await store.find(idOrPrefix) : [];
    if (key === undefined) {
      throw new Fault("not_found", "No key has this id or prefix. List the keys to find it.");
    }
    if (others.length > 0) {
      throw new Fault("invalid_request", `${others.length + 1} keys have this prefix. Use the id of one of them.`);
    }
    return key;
  };

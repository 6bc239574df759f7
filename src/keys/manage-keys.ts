import { Fault } from "../core/fault.ts";
import type { IssueKey } from "./issue-key.ts";
import type { KeyStore } from "./key.ts";
import { keyOrder, type KeyRequest, type KeyView, keyView } from "./key-view.ts";

/** What operators do with keys, whichever way they come: over the admin API or straight from a terminal. */
export type ManageKeys = {
  create: (request: KeyRequest) => Promise<{ key: KeyView; secret: string }>;
  list: (page: { limit: number; after?: string }) => Promise<KeyView[]>;
  /** By id or prefix. Final. */
  revoke: (idOrPrefix: string) => Promise<KeyView>;
};

export function createManageKeys({ store, issueKey }: { store: KeyStore; issueKey: IssueKey }): ManageKeys {
  return {
    create: async (request) => {
      const { key, secret } = await issueKey(keyOrder(request));
      return { key: keyView(key), secret };
    },
    list: async (page) => (await store.list(page)).map(keyView),
    revoke: async (idOrPrefix) => {
      const found = await store.find(idOrPrefix);
      if (found.length > 1) {
        throw new Fault("invalid_request", `${found.length} keys have this prefix; name one by its id.`);
      }
      const revoked = found[0] ? await store.revoke(found[0].id) : null;
      if (!revoked) throw new Fault("not_found", "There is no key with this id or prefix; list the keys to see them.");
      return keyView(revoked);
    },
  };
}

import type { Key } from "../keys/key.ts";
import type { Running } from "./running.ts";

/** Ends what runs for keys that have been revoked; without a key id, looks at every key that has something running. */
export type CutRevoked = (keyId: string | null) => Promise<void>;

type Parts = { running: Running; findKey: (id: string) => Promise<readonly Key[]> };

/**
 * A revoked key's requests are refused by the ledger from the next one on; what is under way is cut here, as soon as word of the
 * change arrives. A key that cannot be read now is looked at again with the next word. [LEDGER rule 8]
 */
export const createCutRevoked =
  ({ running, findKey }: Parts): CutRevoked =>
  async (keyId) => {
    const runs = running.keyIds();
    for (const id of keyId === null ? runs : runs.has(keyId) ? [keyId] : []) {
      const [key] = await findKey(id).catch(() => []);
      if (key?.status === "revoked") running.cutRevoked(id);
    }
  };

import type { Clock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import type { FindKey } from "../keys/find-key.ts";
import type { IssueKey } from "../keys/issue-key.ts";
import type { Key, KeyStore } from "../keys/key.ts";
import { type StatusChange, TRANSITIONS, WAY_OUT } from "../keys/key-status.ts";
import {
  keyChanges,
  type KeyChangeRequest,
  keyOrder,
  type KeyRequest,
  type KeyView,
  keyView,
  type SecretView,
  secretView,
} from "../keys/key-view.ts";
import { createSecret, digestOf } from "../keys/secret.ts";

/** What operators do with keys, whichever way they come: over the admin API or straight from a terminal. KEY is an id or prefix. */
export type ManageKeys = {
  create: (request: KeyRequest) => Promise<{ key: KeyView; secret: string }>;
  list: (page: { limit: number; after?: string }) => Promise<KeyView[]>;
  show: (idOrPrefix: string) => Promise<{ key: KeyView; secrets: SecretView[] }>;
  /** `changed` is false when the key was in that state already. */
  changeStatus: (idOrPrefix: string, change: StatusChange) => Promise<{ key: KeyView; changed: boolean }>;
  update: (idOrPrefix: string, request: KeyChangeRequest) => Promise<{ key: KeyView }>;
  /** Adds a secret, shown this once; the others live on for the overlap. */
  rotate: (
    idOrPrefix: string,
    request: { overlap_ms: number },
  ) => Promise<{ key: KeyView; secret: string; secrets: SecretView[] }>;
};

type Parts = { store: KeyStore; findKey: FindKey; issueKey: IssueKey; clock: Clock };

export function createManageKeys({ store, findKey, issueKey, clock }: Parts): ManageKeys {
  const view = (key: Key): KeyView => keyView(key, clock.nowMs());

  async function show(idOrPrefix: string): Promise<{ key: KeyView; secrets: SecretView[] }> {
    const key = await findKey(idOrPrefix);
    const secrets = await store.secrets(key.id);
    return { key: view(key), secrets: secrets.map((secret) => secretView(secret, clock.nowMs())) };
  }

  return {
    create: async (request) => {
      const { key, secret } = await issueKey(keyOrder(request));
      return { key: view(key), secret };
    },
    list: async (page) => (await store.list(page)).map(view),
    show,
    changeStatus: async (idOrPrefix, change) => {
      const { id } = await findKey(idOrPrefix);
      const { to } = TRANSITIONS[change];
      const changed = await store.changeStatus(id, TRANSITIONS[change]);
      const key = await findKey(id);
      if (!changed && key.status !== to) throw standsInTheWay(change, key);
      return { key: view(key), changed };
    },
    update: async (idOrPrefix, request) => {
      const { id } = await findKey(idOrPrefix);
      const changed = await store.update(id, keyChanges(request));
      const key = await findKey(id);
      if (!changed) throw standsInTheWay("change", key);
      return { key: view(key) };
    },
    rotate: async (idOrPrefix, { overlap_ms: overlapMs }) => {
      const key = await findKey(idOrPrefix);
      const { secret, prefix } = createSecret(key.mode, key.bucket);
      const digest = Buffer.from(digestOf(secret), "base64url");
      const added = await store.addSecret(key.id, { digest, prefix, overlapMs });
      if (!added) throw standsInTheWay("rotate", await findKey(key.id));
      return { ...(await show(key.id)), secret };
    },
  };
}

const standsInTheWay = (wish: string, { prefix, status }: Key): Conflict =>
  new Conflict(`cannot ${wish} key ${prefix}…: it is ${status}. ${WAY_OUT[status]}`);

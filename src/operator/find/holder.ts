/** A key by its id or its prefix, or an account by its id or the names from the root down. */
export type Holder = { kind: "key" | "account"; name: string };

/** Which one it is, in words: one of the two is null. */
export type NamedHolder = {
  key: { id: string; prefix: string } | null;
  account: { id: string; title: string } | null;
};

export type HolderNames = {
  findKey: (name: string) => Promise<{ id: string; prefix: string }>;
  findAccount: (name: string) => Promise<{ id: string; title: string }>;
};

export async function nameHolder({ findKey, findAccount }: HolderNames, { kind, name }: Holder) {
  if (kind === "key") {
    const { id, prefix } = await findKey(name);
    return { kind, id, named: { key: { id, prefix }, account: null } };
  }
  const { id, title } = await findAccount(name);
  return { kind, id, named: { key: null, account: { id, title } } };
}

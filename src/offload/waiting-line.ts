/** Whose turn it is: each owner's first, then each owner's second. Nobody waits longer because another has much to do. */
export function createWaitingLine<Item>(most: { inAll: number; ofOne: number }) {
  const byOwner = new Map<string, Item[]>();
  let length = 0;

  return {
    /** False: there is no room. For what is owed there always is. */
    add: (owner: string, item: Item, kind: "asked" | "owed" = "asked"): boolean => {
      const own = byOwner.get(owner) ?? [];
      if (kind === "asked" && (length >= most.inAll || own.length >= most.ofOne)) return false;
      own.push(item);
      byOwner.set(owner, own);
      length++;
      return true;
    },

    next: (): Item | null => {
      for (const [owner, own] of byOwner) {
        const item = own.shift();
        // To the end of the line, behind all others who wait.
        byOwner.delete(owner);
        if (own.length > 0) byOwner.set(owner, own);
        if (item === undefined) continue;
        length--;
        return item;
      }
      return null;
    },
  };
}

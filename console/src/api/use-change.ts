import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AnswerOf, call, type InputOf, type OperationName } from "./call.ts";
import { ALSO_CHANGED, type ChangeName, type Resource } from "./also-changed.ts";
import { RESOURCES } from "./generated/resources.ts";

const WHO = "GET /admin/v1/session" satisfies OperationName;
/** Changes of these change who the reader is, or what they may do. */
const READERS = ["session", "people", "accounts"] satisfies Resource[];

/** Calls an operation that changes something. */
export type Change = <Name extends ChangeName>(name: Name, input?: InputOf<Name>) => Promise<AnswerOf<Name>>;

/** `reread` is for when all is done: whatever shows a resource that was changed meanwhile reads it again. */
export function useChange(): { change: Change; reread: () => Promise<void> } {
  const client = useQueryClient();
  const [changed] = useState(() => new Set<unknown>());
  const [named] = useState(() => new Set<unknown>());
  return {
    // Also where it fails: some of it may be done.
    change: (name, input) => {
      const resource = RESOURCES[name];
      named.add(resource);
      for (const one of [resource, ...ALSO_CHANGED[resource], "audit"]) changed.add(one);
      return call(name, input);
    },
    reread: async () => {
      const resources = new Set(changed);
      const isReader = READERS.some((one) => named.has(one));
      changed.clear();
      named.clear();
      // A key may be of a client session of the reader, and so among their sessions. Who they are, it does not change.
      await client.invalidateQueries({
        predicate: ({ queryKey: [resource, operation] }) => resources.has(resource) && (operation !== WHO || isReader),
      });
    },
  };
}

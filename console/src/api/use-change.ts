import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AnswerOf, call, type InputOf } from "./call.ts";
import { ALSO_CHANGED, type ChangeName } from "./also-changed.ts";
import { RESOURCES } from "./generated/resources.ts";

/** Calls an operation that changes something. */
export type Change = <Name extends ChangeName>(name: Name, input?: InputOf<Name>) => Promise<AnswerOf<Name>>;

/** `reread` is for when all is done: whatever shows a resource that was changed meanwhile reads it again. */
export function useChange(): { change: Change; reread: () => Promise<void> } {
  const client = useQueryClient();
  const [changed] = useState(() => new Set<unknown>());
  return {
    // Also where it fails: some of it may be done.
    change: (name, input) => {
      const resource = RESOURCES[name];
      for (const one of [resource, ...ALSO_CHANGED[resource], "audit"]) changed.add(one);
      return call(name, input);
    },
    reread: async () => {
      const resources = new Set(changed);
      changed.clear();
      await client.invalidateQueries({ predicate: ({ queryKey: [resource] }) => resources.has(resource) });
    },
  };
}

import type { PageRequest } from "../core/page.ts";
import { clientSessionListSchema } from "../wire/admin/client-sessions.ts";
import { sessionsEnded } from "../wire/admin/people.ts";
import { type AskFor, queryOf } from "./ask-gateway.ts";

const at = (person: string, rest = ""): string => `/people/${encodeURIComponent(person)}${rest}`;

export const remoteClientSessions = (ask: AskFor) => ({
  list: ({ person, account }: { person: string | null; account: string | null }, { limit, after }: PageRequest) =>
    ask(clientSessionListSchema, "GET", `/client-sessions?${queryOf({ limit, after, person, account })}`),
  end: (person: string, which: { id: string } | { except: string | null }) =>
    ask(
      sessionsEnded,
      "DELETE",
      at(
        person,
        "id" in which ? `/client-sessions/${which.id}` : `/client-sessions?${queryOf({ except: which.except })}`,
      ),
    ),
});

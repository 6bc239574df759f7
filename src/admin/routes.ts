import type { AdminRoute } from "./route.ts";
import { ACCOUNTS } from "../contract/accounts.ts";
import { FUNDS } from "../contract/funds.ts";
import { KEYS } from "../contract/keys.ts";
import { NOTICES } from "../contract/notices.ts";
import { QUARANTINE } from "../contract/quarantine.ts";
import { auditRoutes } from "./routes/audit.ts";
import { catalogueRoutes } from "./routes/catalogue.ts";
import { clientSessionRoutes } from "./routes/client-sessions.ts";
import { healthRoutes } from "./routes/health.ts";
import { liveRoutes } from "./routes/live.ts";
import { ledgerRoutes } from "./routes/ledger.ts";
import { peopleRoutes } from "./routes/people.ts";
import { providerRoutes } from "./routes/providers.ts";
import { requestRoutes } from "./routes/requests.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { sessionRoutes } from "./routes/session.ts";
import { systemRoutes } from "./routes/system.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { serveOperations } from "./serve-operations.ts";

/** Every operation of the admin API. */
export const ADMIN_ROUTES: readonly AdminRoute[] = [
  ...healthRoutes,
  ...systemRoutes,
  ...signInRoutes,
  ...sessionRoutes,
  ...tokenRoutes,
  ...peopleRoutes,
  ...clientSessionRoutes,
  ...serveOperations({ tag: "keys", operations: KEYS, of: ({ keys }) => keys }),
  ...serveOperations({ tag: "accounts", operations: ACCOUNTS, of: ({ accounts }) => accounts }),
  ...serveOperations({ tag: "funds", operations: FUNDS, of: ({ funds }) => funds }),
  ...liveRoutes,
  ...requestRoutes,
  ...ledgerRoutes,
  ...serveOperations({ tag: "ledger", operations: QUARANTINE, of: ({ quarantine }) => quarantine }),
  ...serveOperations({ tag: "notices", operations: NOTICES, of: ({ notices }) => notices }),
  ...providerRoutes,
  ...catalogueRoutes,
  ...auditRoutes,
];

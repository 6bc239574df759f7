import { HOLDER_ADDED, HOLDER_CODES, HOLDER_READING } from "./holder-reading.ts";
import type { OperationFacts } from "../operations.ts";

const ENDING = {
  ...HOLDER_ADDED,
  method: "delete",
  credential: "session_or_key",
  request: null,
  codes: HOLDER_CODES,
  answer: { about: "What was ended.", schema: "HolderSessionsEnded", example: { ended: 1 }, headers: {} },
} as const;
const CUT = "Its next request gets 401, and its running streams are cut.";

/** What a person who signed in with clients does with their sessions. */
export const HOLDER_SESSION_OPERATIONS: readonly OperationFacts[] = [
  {
    ...HOLDER_ADDED,
    method: "get",
    path: "/me/sign-in",
    operationId: "showHolderWaysIn",
    summary: "Show how you can sign in",
    description:
      "Says whether people can sign in without a key. If so, a browser that opens `/me/sign-in/oidc?return_to=/console` is sent to the identity provider, and gets a session of its person's account for 12 hours.",
    credential: "none",
    parameters: [],
    request: null,
    answer: {
      about: "The ways in.",
      schema: "HolderWaysIn",
      example: { object: "ways_in", sso: true },
      headers: {},
    },
    codes: ["internal_error"],
  },
  {
    ...HOLDER_READING,
    path: "/me/sessions",
    operationId: "listOwnSessions",
    summary: "List your client sessions",
    description: "Returns the clients and browsers that you are signed in with. A key has none.",
    parameters: [],
    answer: {
      about: "The sessions.",
      schema: "HolderSessions",
      example: {
        data: [
          {
            id: "01890a5d-ac96-774b-bcce-b302099a8057",
            client: "Claude Code",
            agent: "claude-cli/2.1.325 (external, cli)",
            address: "192.0.2.7",
            account: "Acme/Search/ann@acme.example",
            is_current: true,
            created_at: "2026-06-30T08:00:00.000Z",
            refreshed_at: "2026-06-30T08:00:00.000Z",
            last_used_at: "2026-06-30T08:55:00.000Z",
            expires_at: "2026-07-30T08:00:00.000Z",
          },
        ],
      },
      headers: {},
    },
  },
  {
    ...ENDING,
    path: "/me/sessions",
    operationId: "endOtherSessions",
    summary: "Sign out of your other clients",
    description: `Ends all your client sessions but the one of this request. ${CUT}`,
    parameters: [],
  },
  {
    ...ENDING,
    path: "/me/sessions/{session}",
    operationId: "endOwnSession",
    summary: "Sign out of a client",
    description: `Ends one of your client sessions. ${CUT}`,
    parameters: ["sessionId"],
  },
];

import { tryStraying } from "./line-trial.ts";
import type { BrokenSql } from "./notice-sql.ts";

/** What a server must not do that has lost the books. */
export const BROKEN_LINE: readonly BrokenSql[] = [
  {
    name: "a lower timeline is as good as a higher one",
    caughtBy: "timeline",
    fn: "ledger_ready",
    from: "l_timeline = s_timeline and (p_mark",
    to: "(p_mark",
    trial: tryStraying,
  },
  {
    name: "any cluster will do",
    caughtBy: "identifier",
    fn: "ledger_ready",
    from: "if l_identifier = s_identifier and",
    to: "if",
    trial: tryStraying,
  },
  {
    name: "an old primary goes on though it was told",
    caughtBy: "superseded",
    fn: "ledger_ready",
    from: "coalesce(l_superseded_by, 0) <= s_timeline",
    to: "true",
    trial: tryStraying,
  },
  {
    name: "two servers of one timeline are not told apart",
    caughtBy: "mark",
    fn: "ledger_ready",
    from: "(p_mark is null or p_mark = l_mark)",
    to: "true",
    trial: tryStraying,
  },
  {
    name: "the books are taken away amid a call",
    caughtBy: "under_way",
    fn: "supersede_line_v1",
    from: "lock table server_line in exclusive mode;",
    to: "",
    trial: tryStraying,
  },
  {
    name: "a turn that does not ask where it is",
    caughtBy: "timeline",
    fn: "turn_v2",
    from: "perform ledger_ready(p_mark);",
    to: "",
    trial: tryStraying,
  },
  {
    name: "a void that does not ask where it is",
    caughtBy: "superseded",
    fn: "void_v1",
    from: "perform ledger_ready();",
    to: "",
    trial: tryStraying,
  },
  {
    name: "any isolation level will do",
    caughtBy: "isolation",
    fn: "ledger_ready",
    from: "not in ('read committed', 'read uncommitted')",
    to: "= 'serializable'",
    trial: tryStraying,
  },
  {
    name: "funding that looks at the world from before its wait",
    caughtBy: "isolation",
    fn: "fund_v1",
    from: "perform ledger_ready();",
    to: "",
    trial: tryStraying,
  },
];

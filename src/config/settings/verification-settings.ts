import { choice, group, integer } from "./setting.ts";

/** How gateways verify the ledger by themselves. */
export const verificationSettings = group(
  "Verification of the ledger while gateways serve, day by day. One process at a time verifies; it uses connections of `operator.connections`.",
  {
    enabled: choice(
      { values: ["on", "off"], fallback: "on" },
      "`off` verifies nothing by itself. `tollgate ledger verify` still does. Set it if you run that from cron instead.",
    ),
    share_percent: integer(
      { min: 1, max: 100, fallback: 2 },
      "Longest time that verification works, as a percentage of all time. It rests after each statement for as long as this demands, so it uses at most this share of one processor core. Raise it if `tollgate_ledger_verified_timestamp` falls behind.",
    ),
  },
);

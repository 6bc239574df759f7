import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { type Me, originOf } from "../../shell/holder-session.ts";

const MOST_MODELS = 4;

/** What the key is, and where it is used. */
export const KeyFacts = ({ me }: { me: Me }): ReactNode => {
  const { key, session } = me;
  const moment = (at: string | null, none: string): ReactNode =>
    at === null ? none : <Moment atMs={Date.parse(at)} />;
  return (
    <Card title="What is this key?">
      <Facts
        facts={[
          ["Key", <CopyPrefix key="key" prefix={key.prefix} status={key.status} />],
          ["Pays with", key.mode === "credit" ? "credit" : "a token budget"],
          ["Base URL", <CopyText key="origin" text={originOf(me)} />],
          ["Models", <Models key="models" models={key.models} />],
          ...(key.tiers === null
            ? []
            : [["Service tiers", ["default", ...key.tiers].join(", ")] as [string, ReactNode]]),
          ...(key.regions === null ? [] : [["Runs in", key.regions.join(", ") || "no region"] as [string, ReactNode]]),
          ["Rate limit", key.rpm_limit ? `${groupDigits(key.rpm_limit)} requests per minute` : "none"],
          ["Requests", `${groupDigits(me.requests.total)} since it was made`],
          ["Made", moment(key.created_at, "")],
          ["Expires", moment(key.expires_at, "never")],
          ["You are signed in until", moment(session?.expires_at ?? null, "the key is withdrawn")],
        ]}
      />
    </Card>
  );
};

const CopyPrefix = ({ prefix, status }: { prefix: string; status: string }): ReactNode => (
  <span className="flex flex-wrap items-center gap-2">
    <code className="font-mono text-small">{prefix}…</code>
    <Badge tone={status === "active" ? "good" : "warn"}>{status}</Badge>
  </span>
);

const Models = ({ models }: { models: readonly string[] | null }): ReactNode => (
  <Link to="/models" className="text-accent underline">
    {models === null
      ? "all"
      : models.length > MOST_MODELS
        ? `${models.slice(0, MOST_MODELS).join(", ")} and ${models.length - MOST_MODELS} more`
        : models.join(", ")}
  </Link>
);

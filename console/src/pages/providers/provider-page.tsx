import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Provider } from "../../api/generated/admin.ts";
import { DAY_MS } from "../../format/time.ts";
import { CREDITS, DURATION, PERCENT, REQUESTS, type Unit } from "../../format/unit.ts";
import { readCredits } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Figure, Figures } from "../../parts/figure.tsx";
import { Menu, MenuItem, MenuLine } from "../../parts/menu.tsx";
import { BackLink, PageHead } from "../../parts/page-head.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Failure, Note, Skeleton } from "../../parts/state.tsx";
import { Outcomes } from "../overview/outcomes.tsx";
import { microseconds } from "../overview/series-of.ts";
import { BreakerTimeline } from "./breaker-timeline.tsx";
import { Credential, ProviderBadge } from "./provider-columns.tsx";
import { ProviderDialog, RemoveProviderDialog } from "./provider-dialogs.tsx";
import { ProviderErrors, ProviderRoutes } from "./provider-routes.tsx";
import { healthQuery } from "./providers-query.ts";
import { TestDialog } from "./test-dialog.tsx";
import { successShare, type ProviderRow, useProviderRows } from "./use-provider-rows.ts";

const DAYS = 7;
const SPEED: Unit = { ...REQUESTS, name: "tokens/s" };
const CALLS: Unit = { ...REQUESTS, name: "calls" };
const NOTHING: readonly never[] = [];

/** One provider: how its routes are, what became of requests, and what can be done about it. */
export function ProviderPage(): ReactNode {
  const { provider: name } = useParams({ from: "/shell/providers/$provider" });
  const provider = useQuery(queryOf("GET /admin/v1/providers/{provider}", { params: { provider: name } }));
  if (provider.error) return <Failure error={provider.error} height={400} retry={() => void provider.refetch()} />;
  return provider.data ? <Found provider={provider.data} /> : <Skeleton height={400} />;
}

function Found({ provider }: { provider: Provider }): ReactNode {
  const { series, fromMs } = useLastDays(provider.name);
  const health = useQuery(healthQuery);
  const one = useMemo(() => [provider], [provider]);
  const [row] = useProviderRows(one, health.data ?? NOTHING, series.data);
  if (row === undefined) return null;
  return (
    <div className="flex flex-col gap-4">
      <PageHead
        back={<BackLink to="/providers">Providers</BackLink>}
        title={
          <>
            {provider.name} <ProviderBadge of={row} />
          </>
        }
        lead={
          <>
            <span className="wrap-anywhere">{provider.base_url}</span> ·{" "}
            <Link to="/requests" search={{ provider: provider.name, range: "7d" }} className="text-accent underline">
              requests
            </Link>
          </>
        }
        actions={<ProviderActions of={provider} />}
      />
      {provider.credential_problem !== null && (
        <Note icon="warn">The gateway cannot read its credential: {provider.credential_problem}</Note>
      )}
      <ProviderFigures of={row} />
      <div className="grid gap-4 *:min-w-0 xl:grid-cols-2">
        <Outcomes
          answer={series.data}
          shown={shownOf(series, series.data?.points.length === 0 ? UNASKED : null)}
          onRange={undefined}
        />
        <BreakerTimeline
          routes={row.routes}
          fromMs={fromMs}
          nameOf={(route) => {
            const model = provider.routes.find(({ id }) => id === route.route_id)?.model;
            return `${model ?? route.upstream_model} · ${route.format}`;
          }}
          shown={shownOf(health, null)}
        />
      </div>
      <ProviderRoutes of={provider} health={row.routes} />
      <div className="grid gap-4 *:min-w-0 xl:grid-cols-2">
        <ProviderErrors routes={row.routes} />
        <Card title="How is it called?">
          <ProviderFacts of={provider} />
        </Card>
      </div>
    </div>
  );
}

/** What requests of the last days asked it for, by the hour. */
function useLastDays(provider: string) {
  const [toMs] = useState(() => Math.ceil(Date.now() / 3_600_000) * 3_600_000);
  const fromMs = toMs - DAYS * DAY_MS;
  const span = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  const query = { ...span, step: "1h", provider, by: "provider", top: 1 } as const;
  return { fromMs, series: useQuery(queryOf("GET /admin/v1/series", { query })) };
}

type Open = "test" | "change" | "remove" | null;

function ProviderActions({ of: provider }: { of: Provider }): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  const [first] = provider.routes;
  return (
    <>
      <Button look="primary" onClick={() => setOpen("test")}>
        Test
      </Button>
      <Menu trigger={<Button icon="down">More</Button>}>
        <MenuItem icon="settings" onPick={() => setOpen("change")}>
          Address and credential
        </MenuItem>
        <MenuLine />
        <MenuItem icon="close" onPick={() => setOpen("remove")}>
          Remove…
        </MenuItem>
      </Menu>
      {open === "test" && (
        <TestDialog
          provider={provider.name}
          target={first ? { upstreamModel: first.upstream_model, format: first.format } : null}
          onClose={close}
        />
      )}
      {open === "change" && <ProviderDialog of={provider} onClose={close} />}
      {open === "remove" && <RemoveProviderDialog of={provider} onClose={close} />}
    </>
  );
}

const UNASKED = { title: `No request asked it in the last ${DAYS} days` };

function ProviderFigures({ of: { total, routes } }: { of: ProviderRow }): ReactNode {
  const sum = (of: (route: ProviderRow["routes"][number]) => number): bigint =>
    BigInt(routes.reduce((all, route) => all + of(route), 0));
  const failed = sum(({ failed: count }) => count);
  return (
    <Figures>
      <Figure label={`Success, ${DAYS} days`} unit={PERCENT} value={successShare(total)} />
      <Figure label="Requests" unit={REQUESTS} value={total && BigInt(total.requests)} note="that asked it last" />
      <Figure label="Charged" unit={CREDITS} value={total && readCredits(total.credits)} />
      <Figure label="First token, p95" unit={DURATION} value={total?.ttft ? microseconds(total.ttft.p95) : null} />
      <Figure
        label="Speed"
        unit={SPEED}
        value={total?.output_per_second == null ? null : BigInt(Math.round(total.output_per_second))}
      />
      <Figure
        label="429s"
        unit={CALLS}
        value={sum(({ rate_limited: count }) => count)}
        note={`of ${failed} failed; this process`}
      />
    </Figures>
  );
}

const ProviderFacts = ({ of: provider }: { of: Provider }): ReactNode => (
  <Facts
    facts={[
      [
        "Address",
        <span key="url" className="wrap-anywhere">
          {provider.base_url}
        </span>,
      ],
      ["Credential", <Credential key="credential" of={provider} />],
      ...(provider.credential_key === null ? [] : [["Encrypted with", provider.credential_key] as const]),
      ["Unknown fields", provider.unknown_members ?? "as is usual at its address"],
      ["Forwarded fields", provider.open_members?.join(", ") ?? "the usual ones"],
      [
        "Input near the context window",
        provider.context_window === "strict" ? "sent only if it certainly fits" : "sent",
      ],
      ["Platform", provider.platform ?? "as the base URL says"],
      ["Trace context", provider.traceparent === "send" ? "sent with each call" : "not sent"],
    ]}
  />
);

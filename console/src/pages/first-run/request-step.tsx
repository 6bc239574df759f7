import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import type { LiveRequest } from "../../api/generated/admin.ts";
import { BurnDown } from "../../charts/burn-down.tsx";
import { groupDigits } from "../../format/money.ts";
import { DURATION } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { KeySnippets } from "../keys/key-snippets.tsx";
import { burnOf } from "../live/live-columns.tsx";
import type { Ended } from "../live/live-feed.ts";
import { useLive } from "../live/use-live.ts";
import { sumOf } from "../requests/charged.tsx";
import { CodeBadge } from "../requests/code-badge.tsx";
import type { MadeKey } from "./key-step.tsx";
import { Beside } from "./setup-step.tsx";
import { lastRequestQuery, type Setup } from "./use-setup.ts";

type Props = { made: MadeKey | null; model: string | null; request: Setup["request"] };

/** Waits for the first request, and shows it while it runs and when it has ended. */
export function RequestStep({ made, model, request }: Props): ReactNode {
  const client = useQueryClient();
  const { state, list, ended } = useLive("limit=3", false);
  const last = ended[0];
  useEffect(() => {
    if (last !== undefined) void client.invalidateQueries({ queryKey: lastRequestQuery.queryKey });
  }, [client, last]);
  const running = list?.data[0];
  return (
    <Beside commands={["tollgate tail", "tollgate requests list --limit 1"]}>
      <div
        role="status"
        className={`flex min-h-24 flex-col justify-center gap-2 rounded-md border p-4 ${last || request ? "border-accent" : "border-dashed border-edge"}`}
      >
        {running !== undefined && <Running request={running} />}
        {running === undefined && last !== undefined && <Arrived ended={last} />}
        {running === undefined && last === undefined && request !== null && <Recorded request={request} />}
        {running === undefined && last === undefined && request === null && (
          <p className="flex flex-wrap items-center gap-2 text-ink-2">
            <Badge tone={state === "open" ? "good" : "neutral"}>{state === "open" ? "live" : "connecting"}</Badge>
            Waiting for the first request. Send it from any terminal; it appears here while it runs.
          </p>
        )}
      </div>
      <KeySnippets
        secret={made?.secret ?? "tgc_…"}
        mode={made?.key.mode ?? "credit"}
        models={model === null ? null : [model]}
      />
    </Beside>
  );
}

const Running = ({ request }: { request: LiveRequest }): ReactNode => (
  <>
    <p className="flex flex-wrap items-center gap-2">
      <Badge tone="accent">in flight</Badge>
      <span className="font-medium">{request.model}</span>
      <span className="text-ink-2">{groupDigits(request.output_tokens ?? 0)} tokens so far</span>
    </p>
    <BurnDown {...burnOf(request)} />
  </>
);

type Shown = Pick<Ended, "request_id" | "status" | "code" | "input_tokens" | "output_tokens" | "charged"> & {
  model: string | null;
  tookMs: number;
};

const Arrived = ({ ended }: { ended: Ended }): ReactNode => <Answered {...ended} tookMs={ended.took_ms} />;

const Recorded = ({ request }: { request: NonNullable<Setup["request"]> }): ReactNode => (
  <Answered {...request} tookMs={request.took_ms} />
);

function Answered({
  request_id: id,
  model,
  status,
  code,
  input_tokens: input,
  output_tokens: output,
  charged,
  tookMs,
}: Shown): ReactNode {
  const isRefused = status >= 400;
  const sum = sumOf(charged);
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <CodeBadge status={status} code={code ?? "ok"} />
        <span className="font-medium">
          {isRefused ? "The request was rejected; it cost nothing." : "It works: the first request was answered."}
        </span>
      </p>
      <p className="text-ink-2">
        {model !== null && `${model}: `}
        {groupDigits(input)} tokens in, {groupDigits(output)} out,{" "}
        {sum === null ? "nothing charged" : <Amount {...sum} named />}, {DURATION.show(BigInt(tookMs) * 1000n)}
      </p>
      <Link to="/requests/$request" params={{ request: id }} className="w-fit text-accent hover:underline">
        See where its time and money went
      </Link>
    </>
  );
}

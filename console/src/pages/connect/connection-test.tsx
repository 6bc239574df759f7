import type { ReactNode } from "react";
import type { ClientSetup } from "../../../../src/wire/client-setup/setup.ts";
import { DURATION } from "../../format/unit.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CodeWords } from "../../parts/code-words.tsx";
import { useEndedRequest } from "../my-requests/use-ended-request.ts";
import { WIRES } from "../playground/formats.ts";
import { isRunning, type Run } from "../playground/run.ts";
import { useRun } from "../playground/use-run.ts";
import { sumOf } from "../requests/charged.tsx";

const MOST_OUTPUT = 32;

/** A small request in the format of the client, with the session of this page in place of the key. */
export function ConnectionTest({ client, model }: { client: ClientSetup; model: string }): ReactNode {
  const { run, begin } = useRun();
  const wire = WIRES[client.format];
  const body = wire.body({ model, system: "", turns: [{ role: "user", text: "Say hello." }], most: MOST_OUTPUT });
  return (
    <Card
      title="Does it work?"
      lead={`Sends one request of ${client.name}’s format (${wire.name}) to ${model}, with at most ${MOST_OUTPUT} output tokens. It is charged like any other.`}
      actions={
        <Button icon="play" busy={isRunning(run)} onClick={() => void begin(client.format, body)}>
          Test
        </Button>
      }
    >
      <div aria-live="polite">{run !== null && <Outcome run={run} />}</div>
    </Card>
  );
}

function Outcome({ run }: { run: Run }): ReactNode {
  const record = useEndedRequest(isRunning(run) ? null : run.requestId);
  const charged = sumOf(record.data?.charged ?? null);
  const us = BigInt(Math.round((run.firstMs ?? 0) * 1000));
  if (isRunning(run)) return <p className="text-ink-2">Waiting for the model…</p>;
  if (run.error !== null)
    return (
      <p>
        <Badge tone="bad">
          {run.error.status ?? "stream"} {run.error.code}
        </Badge>{" "}
        <CodeWords text={run.error.message} />
      </p>
    );
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone="good">it works</Badge>
        <span className="text-ink-2">
          {run.firstMs !== null && `First token after ${DURATION.show(us)}. `}
          {charged === null ? "" : `${charged.unit.exact(charged.value)} ${charged.unit.name} charged.`}
        </span>
      </p>
      <blockquote className="max-h-40 overflow-y-auto border-l-2 border-edge pl-3 wrap-anywhere whitespace-pre-wrap">
        {run.text}
      </blockquote>
    </div>
  );
}

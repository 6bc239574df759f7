import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { HolderRequest } from "../../api/generated/holder.ts";
import { CREDITS, DURATION, TOKENS } from "../../format/unit.ts";
import { Figure, Figures } from "../../parts/figure.tsx";
import { CodeWords } from "../../parts/code-words.tsx";
import { Note } from "../../parts/state.tsx";
import { sumOf } from "../requests/charged.tsx";
import { isRunning, type Run } from "./run.ts";

type Props = {
  run: Run;
  /** What the gateway wrote down of it, some moments after its end. */
  record: HolderRequest | undefined;
  /** Nothing came in time. */
  isMissing: boolean;
  unit: "credit" | "tokens";
};

/** What it took and what it cost. */
export function RunResult({ run, record, isMissing, unit }: Props): ReactNode {
  const charged = record === undefined ? null : sumOf(record.charged);
  const used = record ? { input: record.input_tokens, output: record.output_tokens } : run.usage;
  const usual = unit === "credit" ? CREDITS : TOKENS;
  const free = record !== undefined && charged === null;
  const waits = !isRunning(run) && record === undefined && !isMissing && run.requestId !== null;
  return (
    <section aria-label="Result" className="flex flex-col gap-2">
      <Figures narrow>
        <Figure
          label="Charged"
          unit={charged?.unit ?? usual}
          value={free ? 0n : (charged?.value ?? null)}
          note={isRunning(run) ? "known at the end" : waits ? "being written down" : isMissing ? "not recorded" : null}
        />
        <Figure label="First token" unit={DURATION} value={micro(run.firstMs)} note="as seen here" />
        <Figure label="Took" unit={DURATION} value={micro(run.tookMs)} note="as seen here" />
        <Figure label="Input" unit={TOKENS} value={used === null ? null : BigInt(used.input)} />
        <Figure
          label="Output"
          unit={TOKENS}
          value={used === null ? null : BigInt(used.output)}
          note={speedOf(run, used)}
        />
        <Figure label="Events" unit={EVENTS} value={BigInt(run.events.length)} />
      </Figures>
      <div aria-live="polite">
        {run.status === "stopped" && <Note icon="stop">{stoppedWords(run, record, isMissing)}</Note>}
        {run.error !== null && (
          <Note icon="warn">
            {run.error.status !== null && `${run.error.status} `}
            <strong className="font-semibold">{run.error.code}</strong>: <CodeWords text={run.error.message} />
          </Note>
        )}
      </div>
      {run.requestId !== null && (
        <p className="text-small text-ink-2">
          Request{" "}
          <Link
            to="/requests/$request"
            params={{ request: run.requestId }}
            className="font-mono text-accent hover:underline"
          >
            {run.requestId}
          </Link>
        </p>
      )}
    </section>
  );
}

const EVENTS = { ...TOKENS, name: "events" };
const micro = (ms: number | null): bigint | null => (ms === null ? null : BigInt(Math.round(ms * 1000)));

function speedOf({ firstMs, tookMs }: Run, used: { output: number } | null): string | null {
  if (firstMs === null || tookMs === null || used === null || used.output < 2 || tookMs - firstMs < 50) return null;
  return `${((used.output * 1000) / (tookMs - firstMs)).toFixed(1)} per second`;
}

function stoppedWords(run: Run, record: HolderRequest | undefined, isMissing: boolean): string {
  const after = `Stopped after ${DURATION.show(micro(run.tookMs) ?? 0n)}.`;
  if (run.requestId === null)
    return `${after} The gateway had not answered yet, so the charge is in the list of requests.`;
  if (record === undefined)
    return isMissing ? `${after} The charge is in the list of requests.` : `${after} The charge is being written down.`;
  const sum = sumOf(record.charged);
  if (sum === null || sum.value === 0n) return `${after} Nothing was charged.`;
  return `${after} Charged: ${sum.unit.exact(sum.value)} ${sum.unit.name} for ${TOKENS.show(BigInt(record.input_tokens))} input and ${TOKENS.show(BigInt(record.output_tokens))} output tokens.`;
}

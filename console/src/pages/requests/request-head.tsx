import type { ReactNode } from "react";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { CREDITS, DURATION, TOKENS, type Unit } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Figure, Figures } from "../../parts/figure.tsx";
import { sumOf } from "./charged.tsx";
import { CodeBadge } from "./code-badge.tsx";

/** What is counted of a request. */
export type CountedRequest = Pick<
  RequestDetail,
  | "request_id"
  | "at"
  | "times"
  | "status"
  | "code"
  | "charged"
  | "reserved"
  | "first_byte_ms"
  | "took_ms"
  | "input_tokens"
  | "cached_tokens"
  | "output_tokens"
  | "reasoning_tokens"
>;

/** Which request, how it ended, and its numbers. */
export function RequestHead({ request, actions }: { request: CountedRequest; actions?: ReactNode }): ReactNode {
  const charged = sumOf(request.charged);
  const held = sumOf(request.reserved);
  return (
    <>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <CodeBadge {...request} />
        <CopyText text={request.request_id} />
        <span className="text-ink-2">
          <Moment atMs={Date.parse(request.at)} />
        </span>
        {actions}
      </header>
      <Figures>
        <Sum label="Charged" sum={charged} note={charged === null && "nothing was charged"} />
        <Sum label="Reserved" sum={held} note={held === null ? "nothing was reserved" : "until it ended"} />
        <Time label="First byte" ms={request.first_byte_ms} />
        <Time label="Took" ms={request.took_ms} />
        <Figure
          label="Input"
          unit={TOKENS}
          value={BigInt(request.input_tokens)}
          note={request.cached_tokens > 0 && `${TOKENS.show(BigInt(request.cached_tokens))} cached`}
        />
        <Figure
          label="Output"
          unit={TOKENS}
          value={BigInt(request.output_tokens)}
          note={request.reasoning_tokens > 0 && `${TOKENS.show(BigInt(request.reasoning_tokens))} reasoning`}
        />
      </Figures>
    </>
  );
}

type SumParts = { label: string; sum: { value: bigint; unit: Unit } | null; note: ReactNode };

const Sum = ({ label, sum, note }: SumParts): ReactNode => (
  <Figure label={label} unit={sum?.unit ?? CREDITS} value={sum?.value ?? null} note={note} />
);

const Time = ({ label, ms }: { label: string; ms: number | null }): ReactNode => (
  <Figure label={label} unit={DURATION} value={ms === null ? null : BigInt(ms) * 1000n} />
);

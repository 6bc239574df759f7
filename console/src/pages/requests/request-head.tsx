import type { ReactNode } from "react";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { CREDITS, DURATION, TOKENS, type Unit } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Figure, Figures } from "../../parts/figure.tsx";
import { tell } from "../../parts/toast.tsx";
import { sumOf } from "./charged.tsx";
import { CodeBadge } from "./code-badge.tsx";
import { curlOf } from "./curl.ts";

/** Which request, how it ended, and its numbers. */
export function RequestHead({ request }: { request: RequestDetail }): ReactNode {
  const charged = sumOf(request.charged);
  const held = sumOf(request.reserved);
  const copy = (): void =>
    void navigator.clipboard
      .writeText(curlOf(request))
      .then(() => tell("Copied", "Set TOLLGATE_URL and TOLLGATE_KEY, and put your prompt in: the gateway keeps none."));
  return (
    <>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <CodeBadge {...request} />
        <CopyText text={request.request_id} />
        <span className="text-ink-2">
          <Moment atMs={Date.parse(request.at)} />
        </span>
        {request.format !== null && (
          <Button icon="copy" className="ml-auto" onClick={copy}>
            Copy as curl
          </Button>
        )}
      </header>
      <Figures>
        <Sum label="Charged" sum={charged} none="nothing was reserved" />
        <Sum label="Reserved" sum={held} none="nothing was reserved" />
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

type SumParts = { label: string; sum: { value: bigint; unit: Unit } | null; none: string };

const Sum = ({ label, sum, none }: SumParts): ReactNode => (
  <Figure label={label} unit={sum?.unit ?? CREDITS} value={sum?.value ?? null} note={sum === null && none} />
);

const Time = ({ label, ms }: { label: string; ms: number | null }): ReactNode => (
  <Figure label={label} unit={DURATION} value={ms === null ? null : BigInt(ms) * 1000n} />
);

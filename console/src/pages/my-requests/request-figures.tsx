import type { ReactNode } from "react";
import type { HolderRequestDetail } from "../../api/generated/holder.ts";
import { CREDITS, DURATION, TOKENS } from "../../format/unit.ts";
import { Figure, Figures } from "../../parts/figure.tsx";
import { sumOf } from "../requests/charged.tsx";

/** The numbers of one request. */
export function RequestFigures({ request }: { request: HolderRequestDetail }): ReactNode {
  const [charged, held] = [sumOf(request.charged), sumOf(request.reserved)];
  const time = (ms: number | null): bigint | null => (ms === null ? null : BigInt(ms) * 1000n);
  return (
    <Figures>
      <Figure
        label="Charged"
        unit={charged?.unit ?? CREDITS}
        value={charged?.value ?? null}
        note={charged === null && "nothing was charged"}
      />
      <Figure
        label="Reserved"
        unit={held?.unit ?? CREDITS}
        value={held?.value ?? null}
        note={held === null ? "nothing was reserved" : "until it ended"}
      />
      <Figure label="First byte" unit={DURATION} value={time(request.first_byte_ms)} />
      <Figure label="Took" unit={DURATION} value={time(request.took_ms)} />
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
  );
}

import type { ReactNode } from "react";
import type { LiveRequest } from "../../api/generated/admin.ts";
import { BurnDown } from "../../charts/burn-down.tsx";
import { groupDigits, readCredits } from "../../format/money.ts";
import { CREDITS, DURATION, TOKENS } from "../../format/unit.ts";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../table/column.ts";
import { accountCell, accountOf } from "../requests/request-columns.tsx";

const NONE = <span className="text-ink-3">–</span>;

const text = (
  id: string,
  head: string,
  of: (row: LiveRequest) => string | null,
  more: Partial<Column<LiveRequest>> = {},
): Column<LiveRequest> => ({
  id,
  head,
  cell: (row) => (of(row) === null ? NONE : <span title={of(row) ?? ""}>{of(row)}</span>),
  sort: of,
  plain: (row) => of(row) ?? "",
  ...more,
});

const time = (id: string, head: string, of: (row: LiveRequest) => number | null): Column<LiveRequest> => ({
  id,
  head,
  width: 84,
  align: "right",
  cell: (row) => {
    const ms = of(row);
    return ms === null ? NONE : DURATION.show(BigInt(ms) * 1000n);
  },
  sort: of,
  plain: (row) => String(of(row) ?? ""),
});

/** What is held and what has been produced of it, in the unit of the hold. */
export function burnOf({ reserved, cost }: LiveRequest) {
  const isCredit = reserved.credits !== null;
  const read = (amount: string | null | undefined): bigint =>
    amount === null || amount === undefined ? 0n : isCredit ? readCredits(amount) : BigInt(amount);
  return {
    unit: isCredit ? CREDITS : TOKENS,
    held: read(isCredit ? reserved.credits : reserved.tokens),
    produced: read(isCredit ? cost?.credits : cost?.tokens),
  };
}

/** Output tokens a second since the first byte. */
function speedOf({ output_tokens: output, age_ms: age, first_byte_ms: first }: LiveRequest): number | null {
  return output !== null && first !== null && age > first ? Math.round((output * 1000) / (age - first)) : null;
}

/** `onCancel` null: this reader may not. */
export const liveColumns = (onCancel: ((row: LiveRequest) => void) | null): readonly Column<LiveRequest>[] => [
  text("request", "Request", ({ request_id: id }) => id, { width: 104 }),
  text("key", "Key", ({ key_label: label, key_prefix: prefix }) => label ?? prefix, { width: 128 }),
  text("account", "Account", accountOf, { cell: accountCell }),
  text("model", "Model", ({ model }) => model),
  text("provider", "Provider", ({ provider }) => provider, { width: 112, hidden: true }),
  text("format", "Format", ({ format, streamed }) => `${format}${streamed ? ", streamed" : ""}`, {
    width: 136,
    hidden: true,
  }),
  time("age", "Age", ({ age_ms: age }) => age),
  time("first", "First byte", ({ first_byte_ms: first }) => first),
  {
    id: "tokens",
    head: "Output",
    width: 72,
    align: "right",
    cell: ({ output_tokens: output }) => (output === null ? NONE : groupDigits(output)),
    sort: ({ output_tokens: output }) => output,
    plain: ({ output_tokens: output }) => String(output ?? ""),
  },
  {
    id: "speed",
    head: "Tokens / s",
    width: 92,
    align: "right",
    cell: (row) => speedOf(row) ?? NONE,
    sort: speedOf,
    plain: (row) => String(speedOf(row) ?? ""),
  },
  {
    id: "burn",
    head: "Cost so far, of the hold",
    width: 236,
    cell: (row): ReactNode => <BurnDown {...burnOf(row)} />,
    sort: (row) => burnOf(row).produced,
    plain: (row) => {
      const { unit, produced, held } = burnOf(row);
      return `${unit.plain(produced)} of ${unit.plain(held)} ${unit.name}`;
    },
  },
  text("agent", "Client", ({ agent }) => agent, { hidden: true }),
  ...(onCancel === null
    ? []
    : [
        {
          id: "cancel",
          head: "Action",
          width: 104,
          align: "right" as const,
          cell: (row: LiveRequest): ReactNode => (
            <Button look="quiet" className="h-7!" aria-label={`Cancel ${row.request_id}`} onClick={() => onCancel(row)}>
              Cancel
            </Button>
          ),
          plain: () => "",
        },
      ]),
];

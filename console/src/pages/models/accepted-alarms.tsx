import { type ReactNode, useState } from "react";
import type { AcceptedAlarm, Model } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { endOfDay } from "../keys/end-of-day.ts";

const KINDS = [
  { value: "usage_estimated", name: "usage_estimated: the provider sends no usage" },
  { value: "overrun", name: "overrun: a charge exceeds the balance" },
  { value: "unpriced_usage", name: "unpriced_usage: a part has no price" },
  { value: "served_otherwise", name: "served_otherwise: another tier or region than charged" },
  { value: "billed_more", name: "billed_more: the provider bills more than was charged" },
] as const satisfies readonly { value: AcceptedAlarm["kind"]; name: string }[];

type Open = { verb: "accept" } | { verb: "withdraw"; accepted: AcceptedAlarm } | null;

/** Which money alarms do not alert for this model, why, by whom and until when. */
export function AcceptedAlarms({ of: model }: { of: Model }): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const [nowMs] = useState(Date.now);
  const close = (): void => setOpen(null);
  return (
    <Card
      title="Which money alarms are accepted?"
      lead="They do not alert for this model. Charges stay the same."
      actions={<Button onClick={() => setOpen({ verb: "accept" })}>Accept a kind</Button>}
    >
      {model.accepted_alarms.length === 0 ? (
        <p className="text-ink-2">None: every kind alerts.</p>
      ) : (
        <ul className="flex flex-col gap-3">
          {model.accepted_alarms.map((accepted) => (
            <li key={accepted.kind} className="flex flex-wrap items-start justify-between gap-2">
              <Accepted of={accepted} nowMs={nowMs} />
              <Button onClick={() => setOpen({ verb: "withdraw", accepted })}>Withdraw</Button>
            </li>
          ))}
        </ul>
      )}
      {open?.verb === "accept" && <AcceptDialog of={model} onClose={close} />}
      {open?.verb === "withdraw" && <WithdrawDialog of={model} accepted={open.accepted} onClose={close} />}
    </Card>
  );
}

function Accepted({ of: accepted, nowMs }: { of: AcceptedAlarm; nowMs: number }): ReactNode {
  const hasEnded = accepted.until !== null && Date.parse(accepted.until) <= nowMs;
  return (
    <div className="min-w-0">
      <code className="font-mono text-small">{accepted.kind}</code>{" "}
      <Badge tone={hasEnded ? "neutral" : "warn"}>{hasEnded ? "ended" : "accepted"}</Badge>
      <p className="wrap-anywhere">{accepted.reason}</p>
      <p className="text-small text-ink-2">
        by {accepted.accepted_by}, <Moment atMs={Date.parse(accepted.accepted_at)} />
        {accepted.until === null ? (
          ", until it is withdrawn"
        ) : (
          <>
            , until <Moment atMs={Date.parse(accepted.until)} />
          </>
        )}
      </p>
    </div>
  );
}

const AcceptDialog = ({ of: model, onClose }: { of: Model; onClose: () => void }): ReactNode => (
  <FormDialog
    title={`Accept alarms of ${model.id}`}
    lead="Alarms of this kind no longer alert for this model. They do for every other model, and charges stay the same."
    verb="Accept"
    done="The alarm is accepted"
    fields={["kind", "reason", "until"]}
    onClose={onClose}
    act={(change, given) =>
      change("POST /admin/v1/models/{model}/accepted-alarms", {
        params: { model: model.id },
        body: {
          kind: given("kind") as AcceptedAlarm["kind"],
          reason: given("reason"),
          until: endOfDay(given("until")),
        },
      })
    }
  >
    {(problemOf) => (
      <>
        <SelectField label="Kind" name="kind" options={KINDS} problem={problemOf("kind")} />
        <Field label="Reason" name="reason" required maxLength={500} autoFocus problem={problemOf("reason")} />
        <Field
          label="Until the end of"
          name="until"
          type="date"
          hint="In UTC. Without a day it holds until you withdraw it."
          problem={problemOf("until")}
        />
      </>
    )}
  </FormDialog>
);

const WithdrawDialog = ({
  of: model,
  accepted,
  onClose,
}: {
  of: Model;
  accepted: AcceptedAlarm;
  onClose: () => void;
}): ReactNode => (
  <FormDialog
    title={`Alert for ${accepted.kind} of ${model.id} again?`}
    verb="Withdraw"
    done="The model alerts again"
    onClose={onClose}
    act={(change) =>
      change("DELETE /admin/v1/models/{model}/accepted-alarms/{kind}", {
        params: { model: model.id, kind: accepted.kind },
      })
    }
  >
    {() => null}
  </FormDialog>
);

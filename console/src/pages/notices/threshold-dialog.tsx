import { type ReactNode, useState } from "react";
import type { WatchedCounter } from "../../api/generated/admin.ts";
import { unitOf } from "../../format/counted.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { counterOf, holderOf } from "./notice-columns.tsx";

const USUAL = { limit: "80, 100", purse: "0" };

/** When somebody is told about one limit or purse. Empty: nobody is told. */
export function ThresholdDialog({ of: counter, onClose }: { of: WatchedCounter; onClose: () => void }): ReactNode {
  const isLimit = counter.kind === "limit";
  const field = isLimit ? "percent" : "left";
  const [typed, setTyped] = useState(counter.thresholds.join(", "));
  const isUsual = typed.replaceAll(" ", "") === USUAL[counter.kind].replaceAll(" ", "");
  const words = typed.split(/[\s,]+/).filter(Boolean);
  return (
    <FormDialog
      title={`When is somebody told about ${holderOf(counter)}?`}
      lead={`For its ${counterOf(counter)}. A notice goes to the log and to every webhook, once per period.`}
      verb="Save"
      done="The thresholds are set"
      fields={[field]}
      onClose={onClose}
      act={(change) =>
        change("POST /admin/v1/notices/thresholds", {
          body: {
            name: counter.key?.id ?? counter.account_id ?? "",
            counter: counter.counter,
            ...(isLimit ? { percent: isUsual ? null : words.map(Number) } : { left: isUsual ? null : words }),
          },
        })
      }
    >
      {(problemOf) => (
        <div className="flex flex-col items-start gap-2">
          <div className="w-full">
            <Field
              label={isLimit ? "Percent used" : `${unitOf(counter.unit).name} left`}
              name={field}
              autoFocus
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              problem={problemOf(field)}
              hint={`With commas: ${isLimit ? "50, 80, 100" : "100, 10, 0"}. Empty: nobody is told.`}
            />
          </div>
          <Button disabled={isUsual} onClick={() => setTyped(USUAL[counter.kind])}>
            As by default
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

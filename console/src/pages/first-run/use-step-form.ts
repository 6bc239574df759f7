import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/call.ts";
import { type Change, useChange } from "../../api/use-change.ts";

export type Given = (name: string) => string;

/** A form that does one thing. What it changed is read again; a refusal stands under the field it names, or else in `otherwise`. */
export function useStepForm(act: (change: Change, given: Given) => Promise<unknown>, fields: readonly string[]) {
  const { change, reread } = useChange();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const param = failure instanceof ApiError ? failure.param : null;
  const run = async (given: Given): Promise<void> => {
    setBusy(true);
    setFailure(null);
    await act(change, given).catch((error: unknown) => setFailure(error as Error));
    await reread();
    setBusy(false);
  };
  return {
    send: (event: FormEvent<HTMLFormElement>): void => {
      event.preventDefault();
      const form = new FormData(event.currentTarget);
      void run((name) => String(form.get(name) ?? "").trim());
    },
    isBusy,
    problemOf: (field: string): string | null => (param === field ? (failure?.message ?? null) : null),
    otherwise: failure !== null && !fields.includes(param ?? "") ? failure.message : null,
  };
}

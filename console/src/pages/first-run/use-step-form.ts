import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/call.ts";

export type Given = (name: string) => string;

/** A form that does one thing. What it changed is read again; a refusal stands under the field it names, or else in `otherwise`. */
export function useStepForm(act: (given: Given) => Promise<unknown>, fields: readonly string[]) {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const param = failure instanceof ApiError ? failure.param : null;
  const run = async (given: Given): Promise<void> => {
    setBusy(true);
    setFailure(null);
    await act(given).catch((error: unknown) => setFailure(error as Error));
    // Also after a failure: some of it may be done.
    await client.invalidateQueries();
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

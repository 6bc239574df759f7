import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/call.ts";
import { queryOf } from "../../api/query.ts";
import { useChange } from "../../api/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { BackLink, PageHead } from "../../parts/page-head.tsx";
import { useOwnSearch } from "../../shell/use-range.ts";
import { usePayer } from "../accounts/use-payer.ts";
import { EMPTY_DRAFT, type Draft, readDraft, requestOf, STEP_OF } from "./key-draft.ts";
import { KeyReview } from "./key-review.tsx";
import { ForStep, MoneyStep, UseStep } from "./new-key-steps.tsx";
import { RevealedSecret } from "./revealed-secret.tsx";
import { StepList } from "./step-list.tsx";

const STEPS = ["Who is it for?", "What can it spend?", "What may it use?", "Is this right?"];
const LAST = STEPS.length - 1;

/** Four steps, the last of which makes the key. Enter goes on; what was filled in stays when one goes back. */
export function NewKey(): ReactNode {
  const { own } = useOwnSearch("/shell/keys/new");
  const navigate = useNavigate();
  const { change, reread } = useChange();
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState<Draft>({ ...EMPTY_DRAFT, account: own.in ?? "" });
  const paid = usePayer(draft.account);
  const models = useQuery(queryOf("GET /admin/v1/models", { query: { limit: 1000 } }));
  const made = useMutation({
    mutationFn: () => change("POST /admin/v1/keys", { body: requestOf(draft) }),
    // Not waited for: nothing may keep the secret from the page.
    onSuccess: () => void reread(),
    // The step that has the field in question is opened again.
    onError: (error) => setStep((error instanceof ApiError && STEP_OF[error.param ?? ""]) || LAST),
  });
  const head = useHeadFocus(made.data === undefined ? step : STEPS.length);
  const goOn = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setDraft(readDraft(draft, new FormData(event.currentTarget)));
    if (step < LAST) setStep(step + 1);
    else made.mutate();
  };
  const problemOf = (field: string): string | null =>
    made.error instanceof ApiError && made.error.param === field ? made.error.message : null;
  const parts = { draft, problemOf, paid, models: models.data?.data ?? [] };
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4">
      <PageHead back={<BackLink to="/keys">Keys</BackLink>} title={made.data ? "The key is made" : "New key"} />
      {made.data?.secret ? (
        <Card>
          <h3 ref={head} tabIndex={-1} className="mb-3 text-title font-semibold outline-none">
            {made.data.key.label ?? `${made.data.key.prefix}…`}
          </h3>
          <RevealedSecret
            secret={made.data.secret}
            of={made.data.key}
            onSaved={() => void navigate({ to: "/keys/$key", params: { key: made.data.key.id } })}
          />
        </Card>
      ) : (
        <>
          <StepList steps={STEPS} at={step} onPick={setStep} />
          <Card>
            <form onSubmit={goOn} key={step} className="flex flex-col gap-4">
              <h3 ref={head} tabIndex={-1} className="text-title font-semibold outline-none">
                {STEPS[step]}
              </h3>
              {step === 0 && <ForStep {...parts} />}
              {step === 1 && <MoneyStep {...parts} />}
              {step === 2 && <UseStep {...parts} />}
              {step === LAST && <KeyReview {...parts} />}
              {made.error && step === LAST && (
                <p role="alert" className="rounded-sm bg-bad-soft px-2 py-1 text-small text-bad">
                  {made.error.message}
                </p>
              )}
              <div className="flex justify-between gap-2 border-t border-line pt-4">
                <Button disabled={step === 0} onClick={() => setStep(step - 1)}>
                  Back
                </Button>
                <Button look="primary" type="submit" busy={made.isPending}>
                  {step === LAST ? "Make the key" : "Continue"}
                </Button>
              </div>
            </form>
          </Card>
        </>
      )}
    </div>
  );
}

/** Whoever uses the keyboard or a screen reader is taken to the step that has come. */
function useHeadFocus(step: number) {
  const head = useRef<HTMLHeadingElement>(null);
  const before = useRef(step);
  useEffect(() => {
    if (before.current !== step) head.current?.focus();
    before.current = step;
  }, [step]);
  return head;
}

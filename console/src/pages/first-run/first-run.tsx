import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { groupDigits } from "../../format/money.ts";
import { Failure, Skeleton } from "../../parts/state.tsx";
import { sessionQuery } from "../../shell/session.ts";
import { KeyStep, type MadeKey } from "./key-step.tsx";
import { ModelsStep } from "./models-step.tsx";
import { ProviderStep } from "./provider-step.tsx";
import { RequestStep } from "./request-step.tsx";
import { Beside, SetupStep } from "./setup-step.tsx";
import { isDone, isUsable, nextStep, type Setup, type Step, STEPS, useSetup } from "./use-setup.ts";

const TITLES: Record<Step, string> = {
  owner: "You are the owner",
  provider: "Add a provider",
  models: "Offer models at your prices",
  key: "Make an account and a key",
  request: "Send the first request",
};

const SHOWN = 3;

/** From nothing to the first paid answer. What is done is read from the gateway, so it can be left and taken up at any time. */
export function FirstRun(): ReactNode {
  const { setup, error, retry } = useSetup();
  if (setup === undefined)
    return error === null ? <Skeleton height={480} /> : <Failure error={error} retry={retry} height={400} />;
  return <Steps setup={setup} />;
}

function Steps({ setup }: { setup: Setup }): ReactNode {
  // What was open when one came stays open until one goes on: a step that gets done does not close under the reader's hands.
  const [open, setOpen] = useState<Step | null>(() => nextStep(setup));
  const [made, setMade] = useState<MadeKey | null>(null);
  const goOn = (from: Step): void => {
    const rest = STEPS.slice(STEPS.indexOf(from) + 1);
    setOpen(rest.find((step) => !isDone(step, setup)) ?? rest[0] ?? null);
  };
  const model = setup.models.find(isUsable)?.id ?? null;
  const left = STEPS.filter((step) => !isDone(step, setup)).length;
  const bodies: Record<Step, ReactNode> = {
    owner: <OwnerStep />,
    provider: <ProviderStep providers={setup.providers} onContinue={() => goOn("provider")} />,
    models: <ModelsStep {...setup} onContinue={() => goOn("models")} />,
    key: <KeyStep {...setup} {...{ model, made }} onMade={setMade} onContinue={() => goOn("key")} />,
    request: <RequestStep {...{ made, model }} request={setup.request} />,
  };
  return (
    <div className="mx-auto flex max-w-5xl flex-col gap-4">
      <header>
        <h2 className="text-page font-semibold">
          {left === 0 ? "The gateway is set up" : "From nothing to the first paid answer"}
        </h2>
        <p className="text-ink-2">
          {left === 0 ? (
            <>
              Everything runs.{" "}
              <Link to="/" className="text-accent hover:underline">
                Go to the overview
              </Link>
            </>
          ) : (
            `${groupDigits(STEPS.length - left)} of ${STEPS.length} steps done. You can leave at any time and go on here later.`
          )}
        </p>
      </header>
      <ol className="flex flex-col gap-3">
        {STEPS.map((step, index) => (
          <SetupStep
            key={step}
            number={index + 1}
            title={TITLES[step]}
            done={isDone(step, setup) ? <Fact step={step} setup={setup} /> : null}
            isOpen={open === step}
            onOpen={isReady(step, setup) ? () => setOpen(step) : null}
          >
            {bodies[step]}
          </SetupStep>
        ))}
      </ol>
    </div>
  );
}

/** A model needs a provider; a request needs a model and a key. */
const isReady = (step: Step, setup: Setup): boolean =>
  ({
    owner: true,
    provider: true,
    models: setup.providers.length > 0,
    key: true,
    request: isDone("models", setup) && isDone("key", setup),
  })[step];

function OwnerStep(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  return (
    <Beside commands={["tollgate people add ann@acme.example --role owner --password", "tollgate people list"]}>
      <p>
        You are signed in as <span className="font-medium">{session?.actor}</span>. Give others their own sign-in and
        the role they need; nobody shares a password.
      </p>
    </Beside>
  );
}

function Fact({ step, setup }: { step: Step; setup: Setup }): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const { providers, models, keys, request } = setup;
  switch (step) {
    case "owner":
      return session?.actor ?? "";
    case "provider":
      return listed(providers.map(({ name }) => name));
    case "models":
      return listed(models.filter(isUsable).map(({ id }) => id));
    case "key":
      return listed(keys.map(({ label, prefix }) => label ?? `${prefix}…`));
    case "request":
      return request?.request_id ?? "";
  }
}

/** The first few; before them, how many there are. */
function listed(names: readonly string[]): string {
  const few = names.slice(0, SHOWN).join(", ");
  return names.length > SHOWN ? `${groupDigits(names.length)}: ${few}, …` : few;
}

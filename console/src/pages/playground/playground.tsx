import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Stateful } from "../../parts/state.tsx";
import { originOf, useMe } from "../../shell/holder-session.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import { modelsQuery } from "../my-models/models-query.ts";
import { useEndedRequest } from "../my-requests/use-ended-request.ts";
import { Conversation } from "./conversation.tsx";
import { FORMATS, readFormat, WIRES } from "./formats.ts";
import { PromptBox } from "./prompt-box.tsx";
import { RawEvents } from "./raw-events.tsx";
import { RequestJson } from "./request-json.tsx";
import { isRunning, type Run } from "./run.ts";
import { RunResult } from "./run-result.tsx";
import { useChat } from "./use-chat.ts";

const NO_MODEL = { title: "Your key has no model", hint: "Ask your operator which models it should use." };

/** A conversation with a model, in each of the formats, with all that came over the wire and what it cost. */
export function Playground(): ReactNode {
  const me = useMe();
  const { own, changeOwn } = useOwnSearch("/shell/playground");
  const models = useQuery(modelsQuery);
  const known = (models.data ?? []).filter(({ embeds }) => !embeds);
  const model = known.find(({ id }) => id === own.use) ?? known[0];
  const format = readFormat(own.format);
  const { turns, run, send, stop, startOver, body, ...draft } = useChat(model?.id ?? "", format);
  const record = useEndedRequest(run !== null && !isRunning(run) ? run.requestId : null);
  return (
    <Stateful shown={shownOf(models, known.length === 0 ? NO_MODEL : null)} height={400}>
      <div className="grid items-start gap-4 *:min-w-0 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <section aria-label="Chat" className="rounded-lg border border-line bg-surface">
          <div className="flex flex-wrap items-end gap-3 border-b border-line p-4">
            <div className="min-w-48 flex-1">
              <SelectField
                label="Model"
                value={model?.id ?? ""}
                onChange={({ target }) => changeOwn({ use: target.value })}
                options={known.map(({ id }) => ({ value: id, name: id }))}
              />
            </div>
            <Choice
              label="Format"
              value={format}
              choices={FORMATS.map((one) => ({ value: one, name: WIRES[one].name }))}
              onChoose={(one) => changeOwn({ format: one })}
            />
            <Button look="quiet" icon="retry" onClick={startOver}>
              Start over
            </Button>
          </div>
          <Conversation turns={turns} run={run} />
          <PromptBox text={draft.prompt} onText={draft.setPrompt} busy={isRunning(run)} onSend={send} onStop={stop}>
            <AnswerFields {...draft} />
          </PromptBox>
        </section>
        <div className="flex flex-col gap-4">
          {run !== null && (
            <RunResult
              run={run}
              record={record.data}
              isMissing={record.error !== null}
              unit={me.key.mode === "credit" ? "credit" : "tokens"}
            />
          )}
          <OverTheWire
            events={run?.events ?? []}
            origin={originOf(me)}
            format={run?.format ?? format}
            body={run?.body ?? body("Your prompt")}
          />
        </div>
      </div>
    </Stateful>
  );
}

const PANES = [
  { value: "events", name: "Events" },
  { value: "request", name: "Request" },
] as const;

type AnswerParts = Pick<ReturnType<typeof useChat>, "system" | "setSystem" | "most" | "setMost">;

const AnswerFields = ({ system, setSystem, most, setMost }: AnswerParts): ReactNode => (
  <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_144px]">
    <Field
      label="System prompt"
      value={system}
      onChange={({ target }) => setSystem(target.value)}
      placeholder="optional"
      autoComplete="off"
    />
    <Field
      label="Most output tokens"
      inputMode="numeric"
      value={most}
      onChange={({ target }) => setMost(target.value.replaceAll(/\D/g, "").slice(0, 7))}
      autoComplete="off"
    />
  </div>
);

type Wire = { events: Run["events"] } & ComponentProps<typeof RequestJson>;

function OverTheWire({ events, ...request }: Wire): ReactNode {
  const [pane, setPane] = useState<"events" | "request">("events");
  return (
    <section aria-label="Over the wire" className="rounded-lg border border-line bg-surface p-4">
      <div className="mb-2 flex">
        <Choice label="Show" value={pane} choices={PANES} onChoose={(next) => setPane(next as typeof pane)} />
      </div>
      {pane === "events" ? <RawEvents events={events} /> : <RequestJson {...request} />}
    </section>
  );
}

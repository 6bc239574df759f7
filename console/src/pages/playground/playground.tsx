import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Stateful } from "../../parts/state.tsx";
import { originOf, useMe } from "../../shell/holder-session.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import { modelsQuery } from "../my-models/models-query.ts";
import { useEndedRequest } from "../my-requests/use-own-request.ts";
import { Conversation } from "./conversation.tsx";
import { type Asked, FORMATS, readFormat, type Turn, WIRES } from "./formats.ts";
import { PromptBox } from "./prompt-box.tsx";
import { RawEvents } from "./raw-events.tsx";
import { RequestJson } from "./request-json.tsx";
import { isRunning } from "./run.ts";
import { RunResult } from "./run-result.tsx";
import { useRun } from "./use-run.ts";

const USUAL_MOST = 512;
const NO_MODEL = { title: "Your key has no model", hint: "Ask your operator which models it should use." };

/** A conversation with a model, in each of the formats, with all that came over the wire and what it cost. */
export function Playground(): ReactNode {
  const me = useMe();
  const { own, changeOwn } = useOwnSearch("/shell/playground");
  const models = useQuery(modelsQuery);
  const known = models.data ?? [];
  const model = known.find(({ id }) => id === own.use) ?? known[0];
  const format = readFormat(own.format);
  const [prompt, setPrompt] = useState("");
  const [system, setSystem] = useState("");
  const [most, setMost] = useState(String(USUAL_MOST));
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [pane, setPane] = useState<"events" | "request">("events");
  const { run, begin, stop, clear } = useRun();
  const record = useEndedRequest(run !== null && !isRunning(run) ? run.requestId : null);
  const asked = (said: readonly Turn[]): Asked => ({
    model: model?.id ?? "",
    system: system.trim(),
    turns: said,
    most: Math.max(1, Number(most) || USUAL_MOST),
  });
  const send = (text: string): void => {
    const said: Turn[] = [...turns, { role: "user", text }];
    setTurns(said);
    setPrompt("");
    void begin(format, WIRES[format].body(asked(said))).then((ended) => {
      if (ended === null) return;
      if (ended.text !== "") setTurns([...said, { role: "assistant", text: ended.text }]);
      if (ended.text !== "" || ended.status !== "failed") return;
      // Nothing came back: the prompt is where it was, to be sent again.
      setTurns(said.slice(0, -1));
      setPrompt(text);
    });
  };
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
            <Button look="quiet" icon="retry" onClick={() => (clear(), setTurns([]))}>
              Start over
            </Button>
          </div>
          <Conversation turns={turns} run={run} />
          <PromptBox text={prompt} onText={setPrompt} busy={isRunning(run)} onSend={send} onStop={stop}>
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
          <section aria-label="Over the wire" className="rounded-lg border border-line bg-surface p-4">
            <div className="mb-2 flex">
              <Choice label="Show" value={pane} choices={PANES} onChoose={(next) => setPane(next as typeof pane)} />
            </div>
            {pane === "events" ? (
              <RawEvents events={run?.events ?? []} />
            ) : (
              <RequestJson
                origin={originOf(me)}
                format={run?.format ?? format}
                body={run?.body ?? WIRES[format].body(asked([{ role: "user", text: "Your prompt" }]))}
              />
            )}
          </section>
        </div>
      </div>
    </Stateful>
  );
}

const PANES = [
  { value: "events", name: "Events" },
  { value: "request", name: "Request" },
] as const;

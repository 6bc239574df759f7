import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { groupDigits } from "../../format/money.ts";
import { DAY_MS } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Field, INPUT, Labelled, LinesField } from "../../parts/field.tsx";
import { BackLink, PageHead } from "../../parts/page-head.tsx";
import { useMay } from "../../shell/may.ts";
import { costsQuery } from "../margins/costs-table.tsx";
import type { Bills as Given, Comparison } from "./compare.ts";
import { Findings } from "./findings.tsx";

const MOST_BYTES = 32 * 1_048_576;
const EXAMPLE = "openai:\n  provider: openai\n  models: { gpt-4.1-mini-2025-04-14: gpt-4.1-mini }";

/** What providers export of a day beside the journal. The files are read in this browser and are sent nowhere. */
export function Bills(): ReactNode {
  const [exports, setExports] = useState<readonly File[]>([]);
  const [map, setMap] = useState("");
  const [costs, setCosts] = useState<string | null>(null);
  const costsGiven = useQuery({ ...costsQuery, enabled: useMay()("listCosts") });
  const compared = useMutation({ mutationFn: compare });
  const tooMuch =
    sizeOf(exports) > MOST_BYTES ? "Together at most 32 MB. Compare larger files with the command." : null;
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const day = String(new FormData(event.currentTarget).get("day"));
    compared.mutate({ day, exports, map, costs, given: costsGiven.data ?? null });
  };
  return (
    <div className="flex flex-col gap-4">
      <PageHead
        back={<BackLink to="/margins">Margins</BackLink>}
        title="Compare bills"
        lead="What providers export of a day, beside what was charged. Files are read in this browser and are sent nowhere."
      />
      <Card title="Which bills?" lead="Usage and costs of OpenAI, Anthropic, OpenRouter, AWS, Google Cloud and Azure">
        <form onSubmit={send} className="grid gap-4 lg:grid-cols-2">
          <BillFiles exports={exports} problem={tooMuch} onExports={setExports} onCosts={setCosts} />
          <NameMapFields map={map} onMap={setMap} />
          <div className="flex flex-wrap items-center gap-3 lg:col-span-2">
            <Button
              look="primary"
              type="submit"
              busy={compared.isPending}
              disabled={exports.length === 0 || map.trim() === "" || tooMuch !== null}
            >
              Compare
            </Button>
            {compared.error && (
              <p role="alert" className="min-w-0 rounded-sm bg-bad-soft px-2 py-1 text-small break-words text-bad">
                {compared.error.message}
              </p>
            )}
          </div>
        </form>
      </Card>
      {compared.data && <Findings of={compared.data} />}
    </div>
  );
}

const sizeOf = (files: readonly File[]): number => files.reduce((sum, { size }) => sum + size, 0);

type BillFilesProps = {
  exports: readonly File[];
  problem: string | null;
  onExports: (files: readonly File[]) => void;
  onCosts: (costs: string | null) => void;
};

function BillFiles({ exports, problem, onExports, onCosts }: BillFilesProps): ReactNode {
  const [yesterday] = useState(() => new Date(Date.now() - DAY_MS).toISOString().slice(0, 10));
  return (
    <div className="flex flex-col gap-4">
      <Field label="Day (UTC)" name="day" type="date" required defaultValue={yesterday} />
      <Files
        label="Exports"
        multiple
        accept=".json,.jsonl,.csv,.gz"
        problem={problem}
        hint={
          exports.length === 0
            ? "Every page of them, as JSON or CSV, also packed with gzip."
            : `${groupDigits(exports.length)} ${exports.length === 1 ? "file" : "files"}, ${groupDigits(Math.ceil(sizeOf(exports) / 1024))} kB`
        }
        onFiles={onExports}
      />
      <Files
        label="Costs (optional)"
        accept=".yaml,.yml,.json"
        problem={null}
        hint="Without a file: those given under Margins."
        onFiles={([file]) => void (file === undefined ? onCosts(null) : file.text().then(onCosts))}
      />
    </div>
  );
}

const NameMapFields = ({ map, onMap }: { map: string; onMap: (map: string) => void }): ReactNode => (
  <div className="flex flex-col gap-4">
    <Files
      label="Map of names"
      accept=".yaml,.yml,.json"
      problem={null}
      hint="What the names on the bills mean, as for the command. Or write it below."
      onFiles={([file]) => void file?.text().then(onMap)}
    />
    <LinesField
      label="The map"
      name="map"
      rows={8}
      placeholder={EXAMPLE}
      value={map}
      onChange={({ target }) => onMap(target.value)}
    />
  </div>
);

/** What compares is fetched when it is used. The library that reads the map would compile code, which this page may not. */
async function compare(given: Given): Promise<Comparison> {
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
  const { compareBills } = await import("./compare.ts");
  return compareBills(given);
}

type FilesProps = {
  label: string;
  accept: string;
  multiple?: boolean;
  hint: string;
  problem: string | null;
  onFiles: (files: readonly File[]) => void;
};

const Files = ({ label, accept, multiple = false, hint, problem, onFiles }: FilesProps): ReactNode => (
  <Labelled label={label} hint={hint} problem={problem}>
    {(linked) => (
      <input
        {...linked}
        type="file"
        accept={accept}
        multiple={multiple}
        onChange={({ target }) => onFiles([...(target.files ?? [])])}
        className={`${INPUT} py-1 file:mr-2 file:rounded-sm file:bg-sunken file:px-2 file:text-ink`}
      />
    )}
  </Labelled>
);

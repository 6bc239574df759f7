import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { queryOf } from "../../api/query.ts";
import type { Setting } from "../../api/generated/admin.ts";
import { Choice } from "../../parts/choice.tsx";
import { FindInput } from "../../parts/find-input.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { SETTING_COLUMNS } from "./setting-columns.tsx";
import { SettingDialog } from "./setting-dialog.tsx";

const SOURCES = [
  { value: undefined, name: "All" },
  { value: "set", name: "Set" },
  { value: "file", name: "File" },
  { value: "environment", name: "Environment" },
  { value: "default", name: "Default" },
];

/** What this process runs with, and where each value came from. */
export function Settings(): ReactNode {
  const {
    own: { find, from, setting: opened },
    changeOwn,
  } = useOwnSearch("/shell/settings");
  const settings = useQuery({
    ...queryOf("GET /admin/v1/settings"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const all = settings.data?.settings;
  const rows = useMemo(() => (all ?? []).filter((one) => isFound(one, find ?? "", from)), [all, find, from]);
  const chosen = all?.find(({ path }) => path === opened);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Choice
          label="Where a value came from"
          value={from}
          choices={SOURCES}
          onChoose={(value) => changeOwn({ from: value })}
        />
        <p className="text-small text-ink-3">
          {settings.data &&
            (settings.data.file === null ? "No settings file was read." : `File: ${settings.data.file}.`)}{" "}
          Settings are read when a process starts.
        </p>
      </div>
      <DataTable
        label="Settings"
        columns={SETTING_COLUMNS}
        rows={rows}
        rowKey={({ path }) => path}
        onOpen={({ path }) => changeOwn({ setting: path })}
        height={720}
        shown={shownOf(settings, rows.length === 0 ? NOTHING_FOUND : null)}
        tools={
          <FindInput
            label="Find a setting by name, variable or description"
            value={find}
            onFind={(text) => changeOwn({ find: text })}
          />
        }
      />
      {chosen && <SettingDialog of={chosen} onClose={() => changeOwn({ setting: undefined })} />}
    </div>
  );
}

const NOTHING_FOUND = {
  title: "No setting matches",
  hint: "Search for a part of its name, of its variable or of what it does, or choose “All”.",
};

function isFound({ path, environment, description, source }: Setting, find: string, from: string | undefined): boolean {
  const isFrom = from === undefined || (from === "set" ? source !== "default" : source === from);
  return isFrom && `${path} ${environment} ${description}`.toLowerCase().includes(find.toLowerCase());
}

/** A dashboard as we describe it, and as Grafana reads it. */

/** Names of Grafana for units. */
type Unit =
  | "short"
  | "none"
  | "percentunit"
  | "s"
  | "reqps"
  | "bytes"
  | "tokens"
  | "tokens/s"
  | "tokens/min"
  | "credits"
  | "credits/h"
  | "× budget"
  | "fields/min"
  | "per min";

type Colour = "green" | "orange" | "red" | "blue" | "text";

export type Query = {
  expr: string;
  /** The name of each line, with labels in double braces. */
  legend?: string;
};

export type Panel = {
  title: string;
  /** What it shows and when to act; one or two sentences. */
  description: string;
  kind: "stat" | "lines" | "stacked" | "states" | "table";
  unit: Unit;
  queries: readonly Query[];
  /** From this value upwards it has this colour; the first has no value. */
  thresholds?: readonly [Colour, ...{ from: number; colour: Colour }[]];
  /** Colours of lines, by a pattern of their names. */
  colours?: Record<string, Colour>;
  /** Words for values. */
  words?: Record<number, { text: string; colour: Colour }>;
  /** Of 24 columns; the panels of a row share it equally unless told. */
  width?: number;
};

export type Variable = { name: string; label: string; query: string; multi: boolean };

export type Board = {
  uid: string;
  title: string;
  description: string;
  /** Beside data source, job and instance. */
  variables?: readonly Variable[];
  rows: readonly { title: string; height: number; panels: readonly Panel[] }[];
};

const COLUMNS = 24;
const DATASOURCE = { type: "prometheus", uid: "${datasource}" };

const JOB: Variable = { name: "job", label: "Job", query: "label_values(tollgate_open_requests, job)", multi: false };
const INSTANCE: Variable = {
  name: "instance",
  label: "Gateway",
  query: 'label_values(tollgate_open_requests{job="$job"}, instance)',
  multi: true,
};

/** The series of a metric that the dashboard's variables select. */
export const of = (metric: string, labels = ""): string =>
  `${metric}{job="$job",instance=~"$instance"${labels === "" ? "" : `,${labels}`}}`;

/** Their increase a second. */
export const rate = (metric: string, labels = ""): string => `rate(${of(metric, labels)}[$__rate_interval])`;

/** Their increase over the time that is shown. */
export const grown = (metric: string, labels = ""): string => `increase(${of(metric, labels)}[$__range])`;

/** A quantile of a histogram over all gateways. */
export const quantile = (share: number, metric: string, labels = ""): string =>
  `histogram_quantile(${share}, sum by (le) (${rate(`${metric}_bucket`, labels)}))`;

export function grafanaJson({ uid, title, description, variables = [], rows }: Board): object {
  return {
    uid,
    title,
    description,
    tags: ["tollgate"],
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    schemaVersion: 39,
    time: { from: "now-6h", to: "now" },
    timezone: "",
    links: [
      {
        type: "dashboards",
        title: "Tollgate",
        tags: ["tollgate"],
        icon: "external link",
        tooltip: "",
        url: "",
        targetBlank: false,
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    templating: {
      list: [
        { type: "datasource", name: "datasource", label: "Data source", query: "prometheus", regex: "", hide: 0 },
        ...[JOB, INSTANCE, ...variables].map(variableJson),
      ],
    },
    annotations: {
      list: [
        {
          name: "Firing alerts",
          enable: true,
          datasource: DATASOURCE,
          expr: 'ALERTS{alertname=~"Tollgate.*",alertstate="firing",severity="critical"}',
          titleFormat: "{{alertname}}",
          iconColor: "red",
        },
      ],
    },
    panels: panelsOf(rows),
  };
}

const variableJson = ({ name, label, query, multi }: Variable): object => ({
  type: "query",
  name,
  label,
  datasource: DATASOURCE,
  definition: query,
  query: { query, refId: name },
  refresh: 2,
  sort: 1,
  multi,
  includeAll: multi,
  ...(multi && { allValue: ".*", current: { text: "All", value: "$__all" } }),
});

function panelsOf(rows: Board["rows"]): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, height, panels: inRow } of rows) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    for (const panel of inRow) {
      const w = panel.width ?? COLUMNS / inRow.length;
      panels.push({ id: panels.length + 1, ...panelJson(panel), gridPos: { x, y, w, h: height } });
      x += w;
    }
    if (x !== COLUMNS) throw new Error(`the row "${title}" is ${x} columns wide, not ${COLUMNS}`);
    y += height;
  }
  return panels;
}

const TYPES = { stat: "stat", lines: "timeseries", stacked: "timeseries", states: "state-timeline", table: "table" };

function panelJson(panel: Panel): object {
  const { title, description, kind, queries } = panel;
  const isTable = kind === "table";
  return {
    type: TYPES[kind],
    title,
    description,
    datasource: DATASOURCE,
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource: DATASOURCE,
      editorMode: "code",
      expr,
      legendFormat: legend ?? title,
      ...(isTable ? { format: "table", instant: true, range: false } : { range: true }),
    })),
    fieldConfig: { defaults: fieldDefaults(panel), overrides: Object.entries(panel.colours ?? {}).map(overrideJson) },
    options: OPTIONS[kind],
    ...(isTable && {
      transformations: [{ id: "organize", options: { excludeByName: { Time: true, Value: true, __name__: true } } }],
    }),
  };
}

function fieldDefaults({ kind, unit, thresholds = ["text"], words = {} }: Panel): object {
  const [first, ...further] = thresholds;
  const isGraph = kind === "lines" || kind === "stacked";
  return {
    unit: grafanaUnit(unit),
    // Increases are extrapolated, and nobody wants 63.6 requests.
    ...(kind === "stat" && (unit === "short" || unit === "tokens") && { decimals: 0 }),
    ...(isGraph && { min: 0 }),
    color: { mode: isGraph ? "palette-classic" : "thresholds" },
    thresholds: {
      mode: "absolute",
      steps: [{ color: first, value: null }, ...further.map(({ from, colour }) => ({ color: colour, value: from }))],
    },
    mappings: Object.entries(words).map(([value, { text, colour }], index) => ({
      type: "value",
      options: { [value]: { text, color: colour, index } },
    })),
    ...(isGraph && {
      custom: {
        lineWidth: 1,
        fillOpacity: kind === "stacked" ? 40 : 5,
        showPoints: "never",
        stacking: { mode: kind === "stacked" ? "normal" : "none", group: "A" },
        thresholdsStyle: { mode: further.length > 0 ? "dashed" : "off" },
      },
    }),
  };
}

const overrideJson = ([pattern, colour]: [string, Colour]): object => ({
  matcher: { id: "byRegexp", options: `/${pattern}/` },
  properties: [{ id: "color", value: { mode: "fixed", fixedColor: colour } }],
});

/** What Grafana has no name for is written behind the number. */
const grafanaUnit = (unit: Unit): string =>
  ["short", "none", "percentunit", "s", "reqps", "bytes"].includes(unit) ? unit : `suffix: ${unit}`;

const GRAPH_OPTIONS = {
  legend: { displayMode: "list", placement: "bottom", showLegend: true },
  tooltip: { mode: "multi", sort: "desc" },
};
const OPTIONS: Record<Panel["kind"], object> = {
  stat: {
    colorMode: "value",
    graphMode: "area",
    textMode: "value",
    reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
  },
  lines: GRAPH_OPTIONS,
  stacked: GRAPH_OPTIONS,
  states: { showValue: "never", mergeValues: true, legend: GRAPH_OPTIONS.legend, rowHeight: 0.8 },
  table: { showHeader: true, cellHeight: "sm" },
};

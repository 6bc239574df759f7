/** The table beside a chart, from the same data. The first column names the row; the others are quantities. */
export type TwinTable = {
  heads: readonly string[];
  rows: readonly (readonly { show: string; plain: string }[])[];
};

import type { ServerResponse } from "node:http";

type CsvAnswer = { requestId: string; text: string; path: string; next: string | null };

/** Sends a table as a file. Where there is more of it, a Link header names the rest. [RFC 8288] */
export function sendCsv(response: ServerResponse, { requestId, text, path, next }: CsvAnswer): number {
  const body = Buffer.from(text);
  response.writeHead(200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${path.slice(path.lastIndexOf("/") + 1)}"`,
    "content-length": body.length,
    ...(next === null ? {} : { link: `<${path}?after=${next}>; rel="next"` }),
    "x-request-id": requestId,
    "request-id": requestId,
  });
  response.end(body);
  return body.length;
}

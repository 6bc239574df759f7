// The health check of the image. Exit code 0: the gateway in this container can serve. 1: it cannot; the output says why.
// An argument names another path: /livez stays 200 while the database is away.
import { get } from "node:http";

const [path = "/readyz"] = process.argv.slice(2);
const url = `http://127.0.0.1:${process.env.PORT || "8080"}${path}`;

function end(code, text) {
  process.stdout.write(`${text}\n`);
  process.exit(code);
}

get(url, { timeout: 4_000 }, (response) => {
  let body = "";
  response.setEncoding("utf8");
  response.on("data", (text) => (body = (body + text).slice(0, 1_000)));
  response.on("end", () => end(response.statusCode === 200 ? 0 : 1, `${response.statusCode} ${body}`));
})
  .on("timeout", () => end(1, `no response from ${url} within 4 s`))
  .on("error", (error) => end(1, `${url}: ${error.message}`));

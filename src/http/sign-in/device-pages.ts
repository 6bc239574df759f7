import type { DeviceQuestion } from "../../core/people/device-sign-in.ts";
import { escapeHtml } from "../../core/text/escape-html.ts";
import { STYLE } from "./page-style.ts";

type Frame = { title: string; host: string; content: string };

const MARK = `<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#17653f"/><path d="M9 8v16M9 14l15-5" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/></svg>`;

const page = ({ title, host, content }: Frame): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Tollgate</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="brand">${MARK} Tollgate</p>
<section class="card">
<h1>${escapeHtml(title)}</h1>
${content}
</section>
<footer>${escapeHtml(host)}</footer>
</main>
</body>
</html>
`;

/** Where a person types the code that their terminal shows. It is filled in where a link had it, and never sent by itself. */
export const codePage = ({ host, code, problem }: { host: string; code: string; problem: string | null }): string =>
  page({
    title: "Sign in a client",
    host,
    content: `${problem === null ? "" : `<p class="note bad" role="alert">${escapeHtml(problem)}</p>\n`}<p>${code === "" ? "Type the code that your terminal shows." : "Compare the code with the one that your terminal shows."}</p>
<form method="post" action="/device">
<label for="user_code">Code</label>
<input type="text" id="user_code" name="user_code" value="${escapeHtml(code)}" placeholder="XXXX-XXXX" maxlength="20" required autocomplete="off" autocapitalize="characters" spellcheck="false"${code === "" ? " autofocus" : ""}>
<div class="buttons"><button class="main" type="submit">Continue</button></div>
</form>
<p class="note warn after">Continue only if you started this sign-in yourself. If you were sent this code or link, close this page.</p>`,
  });

/** Who is signing in to what, and from where. Nothing is approved before this page is sent back. */
export function decisionPage(question: DeviceQuestion, host: string): string {
  const { email, name, account, userCode, client, clientAddress, browserAddress, startedMsAgo } = question;
  const isElsewhere = clientAddress !== null && browserAddress !== null && clientAddress !== browserAddress;
  const rows = [
    ["Signed in as", name === email ? email : `${name} (${email})`],
    ["Account", account],
    ["Client", client],
    ["Started", `${ago(startedMsAgo)}${clientAddress === null ? "" : ` from ${clientAddress}`}`],
  ] as const;
  return page({
    title: "Approve this client?",
    host,
    content: `<p>It will call models in your name and spend from your account until you sign it out.</p>
<p class="code">${escapeHtml(userCode)}</p>
<dl>
${rows.map(([term, value]) => `<div><dt>${term}</dt><dd>${escapeHtml(value)}</dd></div>`).join("\n")}
</dl>
${isElsewhere ? `<p class="note warn">The client is at another address than this browser (${escapeHtml(browserAddress)}). Approve it only if you know why.</p>\n` : ""}<p>Approve only if your own terminal shows this code now.</p>
<form method="post" action="/device/decision">
<div class="buttons"><button type="submit" name="verdict" value="deny">Deny</button><button class="main" type="submit" name="verdict" value="approve">Approve</button></div>
</form>`,
  });
}

export const approvedPage = ({ host, client, email }: { host: string; client: string; email: string }): string =>
  page({
    title: "Client signed in",
    host,
    content: `<p class="note good" role="status">${escapeHtml(client)} is signed in as ${escapeHtml(email)}.</p>
<p>Close this page and go back to your terminal.</p>`,
  });

export const deniedPage = ({ host, client }: { host: string; client: string }): string =>
  page({
    title: "Client denied",
    host,
    content: `<p class="note" role="status">${escapeHtml(client)} did not get access.</p>
<p>If you did not start this sign-in, tell your operators that you were sent a code.</p>`,
  });

type Problem = { host: string; message: string; hasConsole: boolean };

export const problemPage = ({ host, message, hasConsole }: Problem): string =>
  page({
    title: "Sign-in failed",
    host,
    content: `<p class="note bad" role="alert">${escapeHtml(message)}</p>
<p>To sign in a client, start again in your terminal, or <a href="/device">enter a code</a>.${hasConsole ? ' To see your account, <a href="/console">open the console</a>.' : ""}</p>`,
  });

function ago(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  return minutes === 0 ? "less than a minute ago" : `${minutes} minute${minutes === 1 ? "" : "s"} ago`;
}

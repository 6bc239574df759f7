import { SEARCH_SCRIPT } from "./search-script.ts";

/**
 * What a reader gets beside the text: the address they used, tabs, buttons that copy, a theme, a menu that closes. It loads
 * nothing, sends nothing, and writes no HTML: whatever it shows is set as text.
 *
 * The address is the browser's own, never a header the server was sent, and is used only if it is plain enough for a shell.
 */
const BASIC_SCRIPT = String.raw`
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (tag, props = {}) => Object.assign(document.createElement(tag), props);
const keep = (name, value) => { try { localStorage.setItem("tollgate-docs-" + name, value); } catch {} };
const kept = (name) => { try { return localStorage.getItem("tollgate-docs-" + name); } catch { return null; } };
const root = document.documentElement;
const live = document.querySelector(".status");

const guessed = root.dataset.url;
const used = location.origin + location.pathname.replace(/(\/token)?\/docs\/?$/, "");
if (guessed && used !== guessed && /^https?:\/\/[\w.:[\]-]+[\w.~/-]*$/.test(used)) {
  for (const code of all("code")) {
    if (code.textContent.includes(guessed)) code.textContent = code.textContent.replaceAll(guessed, used);
  }
}

for (const box of all(".code")) {
  const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
  let timer;
  button.addEventListener("click", async () => {
    const text = box.querySelector("code").textContent;
    const isCopied = await copy(text);
    button.textContent = live.textContent = isCopied ? "Copied" : "Copy failed";
    clearTimeout(timer);
    timer = setTimeout(() => { button.textContent = "Copy"; live.textContent = ""; }, 2000);
  });
  box.append(button);
}
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { value: text, className: "status" });
    const before = document.activeElement;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    before?.focus();
    return isCopied;
  }
}

const groups = all(".tabs").map((box, at) => {
  const list = make("div", { className: "tablist" });
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  const tabs = all(":scope > details", box).map((details) => {
    const name = details.dataset.tab;
    const id = "sample-" + at + "-" + name.toLowerCase().replace(/\W+/g, "-");
    const tab = make("button", { type: "button", textContent: name, id });
    const panel = make("div", { id: id + "-panel" });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", id);
    panel.append(...all(":scope > .code", details));
    details.replaceWith(panel);
    tab.addEventListener("click", () => choose(name, tab));
    list.append(tab);
    return { name, tab, panel };
  });
  list.addEventListener("keydown", (event) => {
    const now = tabs.findIndex(({ tab }) => tab === document.activeElement);
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const { name, tab } = tabs.at(next % tabs.length);
    choose(name, tab);
    tab.focus();
  });
  box.prepend(list);
  return tabs;
});
function choose(name, pressed) {
  const before = pressed?.getBoundingClientRect().top;
  const language = name?.split(" ").at(-1);
  for (const tabs of groups) {
    const chosen = tabs.find((tab) => tab.name === name) ?? tabs.find((tab) => tab.name.endsWith(language)) ?? tabs[0];
    for (const { tab, panel } of tabs) {
      const isChosen = tab === chosen.tab;
      tab.setAttribute("aria-selected", isChosen);
      tab.tabIndex = isChosen ? 0 : -1;
      panel.hidden = !isChosen;
    }
  }
  if (!pressed) return;
  keep("tab", name);
  scrollBy({ top: pressed.getBoundingClientRect().top - before, behavior: "instant" });
}
choose(kept("tab") ?? "curl");

if (kept("theme")) root.dataset.theme = kept("theme");
document.querySelector(".theme").addEventListener("click", () => {
  const isDark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = isDark ? "light" : "dark";
  keep("theme", root.dataset.theme);
});

const menu = document.querySelector(".menu");
menu.addEventListener("click", (event) => { if (event.target.closest("a")) menu.open = false; });
document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
const places = all("main [id]").filter(({ id }) => links.has(id));
const watch = new IntersectionObserver(() => {
  const here = places.findLast((place) => place.getBoundingClientRect().top < innerHeight / 3);
  for (const [id, link] of links) {
    if (id === here?.id) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}, { rootMargin: "0px 0px -66%", threshold: [0, 1] });
for (const place of places) watch.observe(place);
`;

export const SCRIPT: string = `"use strict";${BASIC_SCRIPT}${SEARCH_SCRIPT}`;
